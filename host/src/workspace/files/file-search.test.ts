import { describe, expect, it } from "vitest";
import type { FileStore } from "../../kernel/files.ts";
import { names, newFile, openStore, refusalOf } from "./files-for-tests.ts";

const search = async (store: FileStore, query: string, rest: object = {}): Promise<string[]> =>
  names((await store.search({ query, limit: 100, ...rest })).files);

const KIB_200 = 200 * 1024;

describe("a search", () => {
  it("looks in filename, description, tags and text, and the best place comes first", async () => {
    const store = openStore();
    await store.create(newFile("one.txt", "the Invoice of May"));
    await store.create(newFile("two.txt", "", { description: "An invoice, scanned" }));
    await store.create(newFile("invoice-2026.pdf", "%PDF", { mimeType: "application/pdf" }));
    await store.create(newFile("three.bin", Buffer.from([0, 255]), { tags: ["invoices"] }));
    await store.create(newFile("other.txt", "nothing"));
    const found = await search(store, "INVOICE");
    expect(found[0]).toBe("invoice-2026.pdf");
    expect(found.slice(1, 3).toSorted()).toEqual(["three.bin", "two.txt"]);
    expect(found.slice(3)).toEqual(["one.txt"]);
  });

  it("wants every word, wherever each of them is", async () => {
    const store = openStore();
    await store.create(newFile("report.txt", "numbers of spring", { tags: ["finance"] }));
    await store.create(newFile("report-two.txt", "numbers of autumn"));
    expect(await search(store, "report spring finance")).toEqual(["report.txt"]);
    expect(await search(store, "report winter")).toEqual([]);
  });

  it.each([
    ["report_final-v2.docx", "report_final-v2.docx"],
    ["port", "report_final-v2.docx"],
    ["final v2", "report_final-v2.docx"],
    ["v2", "report_final-v2.docx"],
    ["Resume", "résumé.txt"],
    ["RÉSUMÉ", "résumé.txt"],
    ["京都", "旅行.txt"],
    ["都", "旅行.txt"],
    ["c", "notes.txt"],
    ["AI", "notes.txt"],
    ['"quoted" OR NOT (x*', ""],
    ["filename:notes", ""],
  ])("for %j finds %j", async (query, expected) => {
    const store = openStore();
    await store.create(newFile("report_final-v2.docx", Buffer.from([0])));
    await store.create(newFile("résumé.txt", "x"));
    await store.create(newFile("旅行.txt", "東京都に行く"));
    await store.create(newFile("notes.txt", "About AI and C, briefly."));
    expect(await search(store, query)).toEqual(expected === "" ? [] : [expected]);
  });

  it("reads the first 200 KiB of text and no further", async () => {
    const store = openStore();
    const pad = (length: number): string => "lorem ".repeat(length / 6 + 1).slice(0, length);
    await store.create(newFile("inside.txt", `${pad(KIB_200 - 7)} needle ${pad(99)}`));
    await store.create(newFile("behind.txt", `${pad(KIB_200)} needle`));
    // The cut goes through a character.
    await store.create(newFile("cut.txt", `needle ${"é".repeat(KIB_200)}`));
    await store.create(newFile("x.txt", `x${"é".repeat(KIB_200 / 2)} needle`));
    expect((await search(store, "needle")).toSorted()).toEqual(["cut.txt", "inside.txt"]);
  });

  it("does not read what is not text", async () => {
    const store = openStore();
    const type = { mimeType: "image/png" };
    await store.create(newFile("a.png", "needle", type));
    await store.create(newFile("broken.txt", Buffer.concat([Buffer.from("needle"), Buffer.from([0xff])])));
    await store.create(newFile("zero.bin", "needle\0"));
    await store.create(newFile("Makefile", "needle:\n\ttrue\n"));
    expect(await search(store, "needle")).toEqual(["Makefile"]);
  });

  it("keeps to tags and type, and counts what the page leaves out", async () => {
    const store = openStore();
    await store.create(newFile("a.txt", "needle", { tags: ["x"] }));
    await store.create(newFile("b.csv", "needle", { tags: ["x"] }));
    await store.create(newFile("c.txt", "needle"));
    expect(await search(store, "needle", { tags: ["x"], mimePrefix: "text/csv" })).toEqual(["b.csv"]);
    const page = await store.search({ query: "needle", limit: 1 });
    expect([page.files.length, page.total]).toEqual([1, 3]);
  });

  it("finds new tags and forgets old ones", async () => {
    const store = openStore();
    const { id } = await store.create(newFile("a.txt", "text", { tags: ["spring"], description: "of May" }));
    await store.tag(id, { add: ["autumn"], remove: ["spring"] });
    expect(await search(store, "autumn")).toEqual(["a.txt"]);
    expect(await search(store, "spring")).toEqual([]);
    expect(await search(store, "may text a.txt")).toEqual(["a.txt"]);
  });

  it.each(["", "  ", "?!", Array.from({ length: 9 }, (_, at) => `w${at}`).join(" ")])(
    "for %j is refused with the reason",
    async (query) => {
      const no = await refusalOf(() => openStore().search({ query, limit: 5 }));
      expect(no.kind).toBe("invalid_input");
      expect(no.message).toContain("/query");
    },
  );
});

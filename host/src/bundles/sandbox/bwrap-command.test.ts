import { describe, expect, test } from "vitest";
import { bwrapCommand, type BwrapOptions } from "./bwrap-command.ts";

const BASE: BwrapOptions = {
  command: "/opt/node/bin/node",
  args: ["server.js", "--flag"],
  env: { A: "1", HOME: "/home/u/.bailiwick/data" },
  network: "host",
  directory: "/srv/bundle",
  dataDir: "/home/u/.bailiwick/data",
  workDir: "/home/u/.bailiwick",
  home: "/home/u",
  configDirs: ["/srv/etc"],
  read: [],
  write: [],
  support: ["/opt/node/bin"],
};

const settingsOf = (options: Partial<BwrapOptions> = {}): string =>
  bwrapCommand({ ...BASE, ...options }).settings.replaceAll("\0", " ");

describe("the command of a confined process", () => {
  test("shows everybody on the machine the program and its arguments, and nothing of its variables", () => {
    const { args, settings } = bwrapCommand(BASE);
    expect(args).toEqual(["--args", "3", "--", "/opt/node/bin/node", "server.js", "--flag"]);
    expect(settings.split("\0")).toEqual(expect.arrayContaining(["--setenv", "A", "1"]));
    expect(settings.endsWith("\0")).toBe(true);
  });

  test("has namespaces of its own and ends with the host", () => {
    const settings = settingsOf();
    for (const name of ["user", "pid", "ipc", "uts", "cgroup-try"]) expect(settings).toContain(`--unshare-${name} `);
    expect(settings).toContain("--cap-drop ALL --die-with-parent --new-session ");
    expect(settings).not.toContain("--unshare-net");
    expect(settingsOf({ network: "none" })).toContain("--unshare-net");
  });

  test("mounts its own things, and neither home nor work directory", () => {
    const settings = settingsOf();
    expect(settings).toContain("--ro-bind /srv/bundle /srv/bundle ");
    expect(settings).toContain("--ro-bind /opt/node/bin /opt/node/bin ");
    expect(settings).toContain("--bind /home/u/.bailiwick/data /home/u/.bailiwick/data ");
    expect(settings).not.toMatch(/bind(-try)? \/(home\/u(\/\.bailiwick)?|home|opt|srv|etc|var|run)? /);
    expect(settings).not.toContain("--tmpfs /home");
  });

  test("of two places that lie in each other the inner one comes later", () => {
    const settings = settingsOf({ read: ["/srv"], write: ["/srv/bundle/out", "/tmp/x"] });
    const at = (text: string): number => settings.indexOf(text);
    expect(at("--ro-bind /srv /srv ")).toBeLessThan(at("--ro-bind /srv/bundle "));
    expect(at("--ro-bind /srv/bundle ")).toBeLessThan(at("--bind /srv/bundle/out "));
    expect(at("--tmpfs /tmp ")).toBeLessThan(at("--bind /tmp/x "));
  });

  test("the package stays read-only, also when the entry makes the place around it writable", () => {
    const settings = settingsOf({ write: ["/srv", "/srv/bundle"] });
    expect(settings.lastIndexOf("--ro-bind /srv/bundle ")).toBeGreaterThan(settings.lastIndexOf("--bind /srv/bundle "));
  });

  test("hides the work directory inside what is shown, whoever asked for that", () => {
    for (const options of [{ directory: "/home" }, { read: ["/home/u"] }, { write: ["/"] }]) {
      const settings = settingsOf(options);
      expect(settings).toContain("--tmpfs /home/u/.bailiwick ");
      expect(settings.indexOf("--tmpfs /home/u/.bailiwick ")).toBeLessThan(
        settings.indexOf("--bind /home/u/.bailiwick/"),
      );
      expect(settings).toContain("--remount-ro /home/u/.bailiwick ");
    }
  });

  test("hides where the configuration lies, and shows of it what a program must have", () => {
    expect(settingsOf()).not.toContain("--tmpfs /srv/etc");
    expect(settingsOf({ read: ["/srv"] })).toContain("--tmpfs /srv/etc ");
    const settings = settingsOf({ read: ["/"], configDirs: ["/etc"] });
    expect(settings.indexOf("--tmpfs /etc ")).toBeLessThan(settings.indexOf("--ro-bind-try /etc/resolv.conf "));
    expect(settings).toContain("--tmpfs /etc ");
    expect(settings).not.toContain("--ro-bind-try /usr ");
  });

  test("hides the home inside what the host shows by itself, and shows it to whose entry names it", () => {
    expect(settingsOf({ directory: "/home" })).toContain("--tmpfs /home/u ");
    expect(settingsOf({ read: ["/home/u"] })).not.toContain("--tmpfs /home/u ");
  });

  test("shows a program of another place alone", () => {
    expect(settingsOf({ command: "/home/u/.local/bin/uv" })).toContain("--ro-bind /home/u/.local/bin/uv ");
    expect(settingsOf({ command: "/usr/bin/python3" })).not.toContain("/usr/bin/python3");
    expect(settingsOf({ command: "nowhere" })).not.toContain("nowhere");
  });

  test.each([{ env: { A: "1\0--bind\0/\0/" } }, { env: { "A\0": "" } }, { read: ["/a\0b"] }])(
    "is not made from a text that would be two: %j",
    (options) => {
      expect(() => bwrapCommand({ ...BASE, ...options } as BwrapOptions)).toThrow(
        expect.objectContaining({ kind: "install_refused" }),
      );
    },
  );
});

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const BIN = fileURLToPath(new URL("../host/bin/bailiwick", import.meta.url));
let folder: string;

const program = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  chmodSync(join(folder, path), 0o755);
};
/** A machine with the package installed, and on PATH only what `path/` holds beside the system's own tools. */
const run = (command: string, ...args: string[]) => {
  const env = { PATH: `${join(folder, "path")}:/usr/bin:/bin` };
  const { stdout, stderr, status } = spawnSync(join(folder, command), args, { encoding: "utf8", env });
  return { stdout, stderr, status };
};
const machineNode = (version: string): void =>
  program("path/node", `#!/bin/sh\nif [ "$1" = -p ]; then echo ${version}; else echo "machine $*"; fi\n`);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bailiwick bin-"));
  mkdirSync(join(folder, "app/bin"), { recursive: true });
  copyFileSync(BIN, join(folder, "app/bin/bailiwick"));
  program("app/bundle/run/main.js", "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the bailiwick command", () => {
  it.each(["app/node_modules/node/bin/node", "node_modules/node/bin/node", "node/bin/node"])(
    "runs on the Node it brings (%s), with its arguments whole",
    (path) => {
      machineNode("99.0.0");
      program(path, '#!/bin/sh\nprintf "packaged"; for a in "$@"; do printf "|%s" "$a"; done\n');
      expect(run("app/bin/bailiwick", "call", '{"a b":1}').stdout).toMatch(/^packaged\|.*main\.js\|call\|\{"a b":1\}$/);
    },
  );

  it("is found through a chain of links, as npm makes them", () => {
    program("app/node_modules/node/bin/node", "#!/bin/sh\necho packaged\n");
    mkdirSync(join(folder, "links"));
    symlinkSync("../app/bin/bailiwick", join(folder, "links/one"));
    symlinkSync(join(folder, "links/one"), join(folder, "links/two"));
    expect(run("links/two").stdout).toBe("packaged\n");
  });

  it.each(["22.18.0", "24.0.0", "100.1.2"])("runs on the machine's Node %s where it brings none", (version) => {
    machineNode(version);
    expect(run("app/bin/bailiwick", "tools").stdout).toMatch(/^machine .*main\.js tools\n$/);
  });

  it.each(["20.20.2", "22.17.9"])("says what to do where the only Node is %s", (version) => {
    machineNode(version);
    const { stderr, status } = run("app/bin/bailiwick");
    expect(stderr).toContain(`needs Node 22.18 or newer and found ${version}`);
    expect(status).toBe(1);
  });

  it("says what to do before it is built", () => {
    rmSync(join(folder, "app/bundle"), { recursive: true });
    const { stderr, status } = run("app/bin/bailiwick");
    expect(stderr).toContain("Run: npm run build");
    expect(status).toBe(1);
  });
});

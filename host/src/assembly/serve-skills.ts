/** Skills and skill packages of one workspace, joined: served as providers, described for `capabilities://skills`, steered by people. */
import type { Config } from "@bailiwick/contract";
import { homedir } from "node:os";
import { join } from "node:path";
import { claimDataDir } from "../bundles/claim-data-dir.ts";
import { hashSource } from "../bundles/entry-source.ts";
import { findOnPath } from "../bundles/find-on-path.ts";
import type { Ground } from "../bundles/ground.ts";
import { Redaction } from "../bundles/redaction.ts";
import { createRunScript } from "../bundles/scripts/run-script.ts";
import { skillsDocument } from "../compose/skills-document.ts";
import type { SkillBook } from "../agent/skills/skill-book.ts";
import { readSkillTool } from "../agent/tools/read-skill-tool.ts";
import type { Principal } from "../kernel/principal.ts";
import type { ProviderSink } from "../kernel/provider.ts";
import type { SkillViewer } from "../kernel/skill-viewer.ts";
import type { RootList } from "../kernel/roots.ts";
import type { WorkspaceEvent } from "../kernel/workspace-event.ts";
import { createSkillAdmin, type SkillAdminOptions, type WorkspaceSkills } from "../skills/create-skill-admin.ts";
import { createSkillsProvider } from "../skills/create-skills-provider.ts";
import { Looking } from "../skills/looking.ts";
import { createPackages, type Packages } from "../skills/packages/create-packages.ts";
import { openSkillBook, type SkillBookOptions } from "./open-skill-book.ts";
import { resolvePath } from "./resolve-path.ts";
import { skillDirs } from "./skill-dirs.ts";
import { HOST_VERSION } from "./version.ts";
import { whereCallsWrite } from "./where-calls-write.ts";

export interface SkillServing extends Pick<SkillBookOptions, "running" | "listed" | "readServerSkill"> {
  readonly workspace: string;
  /** The folder of the workspace, and the one that relative paths of its configuration start from. */
  readonly home: string;
  readonly baseDir: string;
  readonly workDir: string;
  readonly configFiles: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** As it is now. */
  readonly settings: { readonly config: Config };
  readonly ground: Ground;
  readonly sink: ProviderSink;
  /** A bundle has this name. */
  readonly isBundle: (name: string) => boolean;
  /** Those that the configuration gives the workspace. */
  readonly roots: () => RootList;
  /** Folders that clients announced and were believed with. */
  readonly believed: () => readonly string[];
  readonly requirements: SkillAdminOptions["requirements"];
  readonly viewerOf: (principal: Principal) => SkillViewer;
  /** What is said of them is not what it was. */
  readonly onDescribed: () => void;
  readonly onEvent: (type: string, data: object) => Promise<void>;
  /** Told to those who follow the workspace. */
  readonly publish: (event: WorkspaceEvent) => void;
  readonly report: (error: unknown) => void;
}

export interface ServedSkills {
  readonly admin: WorkspaceSkills;
  /** As the agent uses them. */
  readonly book: SkillBook;
  readonly packages: Pick<Packages, "has" | "ready">;
  /** `capabilities://skills`, and how many it lists. */
  document(reader: Principal): Promise<{ readonly document: object; readonly count: number }>;
  /** The configuration or what lies on disk is not what it was. */
  changed(): void;
  close(): Promise<void>;
}

/** Of one look; those who follow the workspace list them all again anyway. */
const MOST_TOLD = 50;

export const serveSkills = (options: SkillServing): ServedSkills => {
  const { workspace, home, baseDir, env, settings, sink, report } = options;
  const user = env["HOME"] ?? homedir();
  const dirs = () => skillDirs(settings.config.skillDirs, { baseDir, home: user, workspaceDir: home });
  const described = options.onDescribed;
  const skills = createSkillsProvider({
    dirs: () => dirs().map(({ path }) => path),
    version: HOST_VERSION,
    tools: [readSkillTool({ read: (reader, name, file) => book.read(reader, name, file) })],
    onChange: () => {
      sink.changed("skills");
      described();
    },
    report,
  });
  const packages = createPackages({
    dirs,
    pinsFile: join(home, "packages.json"),
    groups: () => settings.config.capabilities.groups,
    grants: (name) => ownOf(settings.config.capabilities.env, name),
    run: createRunScript({
      ground: options.ground,
      workspace,
      workDir: options.workDir,
      baseDir,
      configFiles: options.configFiles,
      env,
      dataDirOf: claimedDirs(home, report),
      sandbox: () => settings.config.sandbox,
      redaction: new Redaction(),
    }),
    sink,
    isTaken: options.isBundle,
    isWritable: whereCallsWrite({
      roots: options.roots,
      dataDir: join(home, "data"),
      others: () => [
        ...options.believed(),
        ...settings.config.sandbox.write.map((path) => resolvePath(path, { baseDir, home: user })),
      ],
    }),
    which: (program) => findOnPath(program, env["PATH"] ?? ""),
    onEvent: options.onEvent,
    onChange: () => described(),
    report,
  });
  const book = openSkillBook({
    ...options,
    directories: dirs,
    packages,
    onChange: (names) => {
      for (const name of names.slice(0, MOST_TOLD)) options.publish({ type: "skill.changed", data: { name } });
      void skills.refresh();
      described();
    },
  });
  const look = (): Promise<void> => book.watch().catch(report);
  const looking = new Looking({ look, checkMs: undefined });
  void looking.refresh();
  const { requirements, viewerOf } = options;
  const admin = createSkillAdmin({ packages, shelve: (viewer) => book.load(viewer), requirements, viewerOf });
  sink.add(skills);
  return {
    admin,
    book,
    packages,
    async document(reader) {
      const rows = (await admin.list(reader)).skills;
      return { document: skillsDocument(rows, HOST_VERSION), count: rows.length };
    },
    changed() {
      void packages.refresh();
      void looking.refresh();
      described();
    },
    async close() {
      skills.close();
      await Promise.all([looking.close(), packages.close()]);
    },
  };
};

/** What a bundle of the same name left behind is not a package's to read. */
const claimedDirs = (home: string, report: (error: unknown) => void): ((provider: string) => string) => {
  const claimed = new Set<string>();
  return (provider) => {
    if (!claimed.has(provider)) {
      const moved = claimDataDir({ home, provider, source: hashSource(`skill package ${provider}`) });
      if (moved !== null) report(`What another ${provider} had kept was put aside: ${moved}`);
      claimed.add(provider);
    }
    return join(home, "data", provider);
  };
};

const ownOf = (grants: Config["capabilities"]["env"], name: string): readonly string[] =>
  Object.hasOwn(grants, name) ? (grants[name] ?? []) : [];

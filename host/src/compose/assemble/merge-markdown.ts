/**
 * Markdown texts as one. A section is united with the first one of the same level and heading, whatever stands above either:
 * what it says follows there. Headings are lines with `#`.
 */
interface Section {
  /** 0: text without a heading. */
  readonly level: number;
  readonly heading: string;
  readonly line: string;
  readonly body: string[];
  readonly children: Section[];
}

const makeSection = (level: number, heading = "", line = ""): Section => ({
  level,
  heading,
  line,
  body: [],
  children: [],
});

const keyOf = ({ level, heading }: Section): string => `${level} ${heading}`;

export const mergeMarkdown = (texts: readonly string[]): string[] => {
  const root = makeSection(0);
  const first = new Map<string, Section>();
  for (const text of texts) for (const section of readSections(text)) place(section, root, first);
  const blocks: string[] = [];
  write(root, blocks);
  return blocks.length === 0 ? [] : [...blocks.flatMap((block, at) => (at === 0 ? [block] : ["\n\n", block])), "\n"];
};

const place = (section: Section, parent: Section, first: Map<string, Section>): void => {
  const key = keyOf(section);
  const known = section.level === 0 ? undefined : first.get(key);
  const into = known ?? makeSection(section.level, section.heading, section.line);
  if (known === undefined) {
    parent.children.push(into);
    if (section.level > 0) first.set(key, into);
  }
  for (const block of section.body) into.body.push(block);
  for (const child of section.children) place(child, into, first);
};

const write = ({ line, body, children }: Section, blocks: string[]): void => {
  if (line !== "") blocks.push(line);
  for (const block of body) blocks.push(block);
  for (const child of children) write(child, blocks);
};

/** Those at the top; deeper ones are their children. */
const readSections = (text: string): readonly Section[] => {
  const root = makeSection(-1);
  const path = [root, makeSection(0)];
  root.children.push(path[1]!);
  let lines: string[] = [];
  let fence = "";
  const close = (): void => {
    const body = lines
      .join("\n")
      .replace(/^(?:[ \t]*\n)+/, "")
      .trimEnd();
    if (body.trim() !== "") path.at(-1)!.body.push(body);
    lines = [];
  };
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    const heading = fence === "" ? readHeading(line) : null;
    fence = fenceAfter(line, fence);
    if (heading === null) {
      lines.push(line);
      continue;
    }
    close();
    while (path.length > 1 && (path.at(-1)!.level === 0 || path.at(-1)!.level >= heading.level)) path.pop();
    path.at(-1)!.children.push(heading);
    path.push(heading);
  }
  close();
  return root.children.filter(({ level, body }) => level > 0 || body.length > 0);
};

const readHeading = (line: string): Section | null => {
  const [marks = ""] = /^ {0,3}#{1,6}(?=[ \t]|$)/.exec(line) ?? [];
  if (marks === "") return null;
  let heading = line.slice(marks.length).trim();
  let end = heading.length;
  while (heading[end - 1] === "#") end--;
  if (end === 0 || (end < heading.length && /[ \t]/.test(heading[end - 1]!))) heading = heading.slice(0, end).trim();
  return makeSection(marks.trim().length, heading, line.trim());
};

/** The fence that is open after a line; empty: none. */
const fenceAfter = (line: string, open: string): string => {
  const [, marks = ""] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
  if (marks === "") return open;
  if (open === "") return marks[0] === "`" && line.trimStart().slice(marks.length).includes("`") ? "" : marks;
  const isClosing = marks[0] === open[0] && marks.length >= open.length && line.trim() === marks;
  return isClosing ? "" : open;
};

/** The code in what a model wrote: the first fenced block of the language, else the first fence, else all of it. Pure. */
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)/;

/** Other words that models use for a language. */
const ALIASES: Readonly<Record<string, string>> = {
  py: "python",
  python3: "python",
  js: "javascript",
  mjs: "javascript",
  ts: "typescript",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  yml: "yaml",
  "c++": "cpp",
  "c#": "csharp",
  cs: "csharp",
  golang: "go",
};

const languageOf = (word: string): string => {
  const lower = word.toLowerCase();
  return (Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : null) ?? lower;
};

interface Block {
  readonly mark: string;
  readonly language: string;
  readonly lines: string[];
}

const closes = (line: string, { mark }: Block): boolean => {
  const text = line.trim();
  return text.length >= mark.length && text[0] === mark[0] && text === mark[0]!.repeat(text.length);
};

const fencedBlocks = (text: string): readonly Block[] => {
  const blocks: Block[] = [];
  let open: Block | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (open !== null && closes(line, open)) open = null;
    else if (open !== null) open.lines.push(line);
    else {
      const [, mark, word = ""] = FENCE.exec(line) ?? [];
      if (mark === undefined) continue;
      open = { mark, language: languageOf(word), lines: [] };
      blocks.push(open);
    }
  }
  return blocks;
};

/** `language`: null where none is asked for. */
export const takeCode = (text: string, language: string | null): string => {
  const blocks = fencedBlocks(text);
  const wanted = language === null ? null : languageOf(language);
  const block = blocks.find((one) => one.language === wanted) ?? blocks[0];
  return block === undefined ? text.trim() : block.lines.join("\n");
};

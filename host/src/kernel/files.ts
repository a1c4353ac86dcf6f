/**
 * The files of one workspace. A file never changes after it was made, but for its tags and its description. Ids are all that
 * is known outside: nothing of a workspace, an owner or a path is in them.
 */
export interface FileInfo {
  /** `fl_` and 24 hex. */
  readonly id: string;
  /** `files://<id>` */
  readonly uri: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
  readonly tags: readonly string[];
  readonly description?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Principal, as `principalName` writes it. */
  readonly createdBy: string;
}

export interface NewFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
  /** Empty or absent: told by the extension. */
  readonly mimeType?: string;
  readonly tags?: readonly string[];
  readonly description?: string;
  readonly createdBy: string;
}

export interface FileQuery {
  readonly limit: number;
  readonly offset: number;
  /** All of them. */
  readonly tags?: readonly string[];
  /** A prefix. */
  readonly mimePrefix?: string;
  readonly sort: "createdAt" | "filename" | "size";
  readonly order: "asc" | "desc";
}

export interface FileSearch {
  readonly query: string;
  readonly limit: number;
  readonly tags?: readonly string[];
  readonly mimePrefix?: string;
}

export interface FilePage {
  readonly files: readonly FileInfo[];
  /** Of all that match, shown or not. */
  readonly total: number;
}

export interface FileStore {
  /** Refusal `quota_exceeded` or `invalid_input`; then nothing was written. */
  create(file: NewFile): Promise<FileInfo>;
  /** Looks into the index alone, which is one read however many there are. Null for anything that is no id of this workspace. */
  info(id: string): FileInfo | null;
  /** The bytes; null when there is no such file or they cannot be read. */
  read(id: string): Promise<Buffer | null>;
  list(query: FileQuery): FilePage;
  /** Another number whenever a file comes, goes or is changed. */
  version(): number;
  /** Every file that matches, oldest first, then by id; `mimeType` is the bare type, exactly. */
  all(filter: { readonly mimeType?: string; readonly tags?: readonly string[] }): readonly FileInfo[];
  /** Refusal `timed_out` when it takes too long. Text of a file that was just made may be found a moment later. */
  search(search: FileSearch): Promise<FilePage>;
  /** Null when there is none. */
  tag(
    id: string,
    change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): Promise<FileInfo | null>;
  /** False when there was none. */
  remove(id: string): Promise<boolean>;
  /** Nothing can be asked of it from now on; resolves when nothing of it is open any more. */
  close(): Promise<void>;
}

/** The store of a workspace, opened when it is first asked for. */
export type FilesOf = (workspace: string) => FileStore;

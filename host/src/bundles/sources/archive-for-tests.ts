/** Archives for tests: good ones, and ones whose every field can be a lie. */
import { buffer } from "node:stream/consumers";
import { deflateRawSync } from "node:zlib";
import type { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { fixtureManifest } from "../bundles-for-tests.ts";

export interface GoodFile {
  readonly text: string;
  readonly mode?: number;
}

/** An archive with a manifest of this name and version, and these files. */
export const makeArchive = (
  name: string,
  version: string,
  files: Readonly<Record<string, GoodFile>> = {},
): Promise<Buffer> => {
  const manifest = { ...fixtureManifest(name), version, tools: [{ name: "greet" }] };
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(JSON.stringify(manifest)), "manifest.json");
  for (const [path, { text, mode }] of Object.entries(files)) {
    zip.addBuffer(Buffer.from(text), path, mode === undefined ? {} : { mode });
  }
  zip.end();
  return buffer(zip.outputStream as Readable);
};

export interface RawFile {
  readonly name: string | Buffer;
  readonly data?: Buffer;
  /** Unix kind and permissions. */
  readonly mode?: number;
  /** General purpose bits; bit 11 (UTF-8) is the default. */
  readonly flags?: number;
  /** What it says to unpack to. */
  readonly claimedSize?: number;
}

/** A ZIP file written byte by byte, without any of the checks that a library makes. */
export const makeRawZip = (files: readonly RawFile[], claimedCount = files.length): Buffer => {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data = Buffer.from("x"), mode = 0o100644, flags = 0x800, claimedSize = data.length } of files) {
    const title = Buffer.from(name);
    const packed = deflateRawSync(data);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimedSize, 18);
    common.writeUInt16LE(title.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, title, packed]);
    directory.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0003"), common, rest, title]));
    bodies.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", 0, "latin1");
  end.writeUInt16LE(claimedCount, 8);
  end.writeUInt16LE(claimedCount, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, central, end]);
};

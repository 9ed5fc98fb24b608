/**
 * A packed session ↔ its form in the store: a list of its files as text, and compressed pieces of them. Stored data is not
 * trusted: sizes, digests and paths are checked before use.
 */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gunzip, gzip } from "node:zlib"
import { Option, Schema } from "effect"
import { present } from "../../contract/present.ts"
import { limits, movableClis, type Packed, type PackedFile } from "./packed.ts"
import { problemOf } from "./sessionFiles.ts"

/** Piece of a file, before compression. */
const pieceBytes = 4 * 1024 * 1024

/** A row of `blobs`. Its name begins with the move, so that two moves of the same content do not share one. */
export interface Blob {
  readonly hash: string
  readonly bytes: Uint8Array
}

const Digest = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: limits.totalBytes }))

const Manifest = Schema.Struct({
  form: Schema.Literal(1),
  cli: Schema.Literals(movableClis),
  sessionId: Schema.String,
  directory: Schema.String,
  title: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  files: Schema.Array(
    Schema.Struct({ path: Schema.String, size: Count, sha256: Digest, pieces: Schema.Array(Digest) })
  ).check(Schema.isMaxLength(limits.files))
})
export type Manifest = typeof Manifest.Type
const ManifestJson = Schema.fromJsonString(Manifest)
const decodeManifest = Schema.decodeUnknownOption(ManifestJson)
const encodeManifest = Schema.encodeSync(ManifestJson)
const longestManifest = 512 * 1024
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
export const blobName = (moveId: string, digest: string) => `${moveId}:${digest}`
const compress = promisify<Uint8Array, Buffer>(gzip)

const piecesOf = (bytes: Uint8Array) =>
  Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes)
  )

export const encodePacked = async ({ files, ...packed }: Packed, moveId: string) => {
  const blobs = new Map<string, Blob>()
  const listed: Array<Manifest["files"][number]> = []
  for (const { path, bytes } of files) {
    const pieces: Array<string> = []
    for (const piece of piecesOf(bytes)) {
      const compressed = await compress(piece)
      const digest = sha256(compressed)
      pieces.push(digest)
      blobs.set(digest, { hash: blobName(moveId, digest), bytes: compressed })
    }
    listed.push({ path, size: bytes.length, sha256: sha256(bytes), pieces })
  }
  const { title, model, ...named } = packed
  const manifest = encodeManifest({ form: 1, ...named, ...present({ title, model }), files: listed })
  return { manifest, blobs: [...blobs.values()] }
}

/** Returns undefined for a list that this version cannot read, or that names files no session of its CLI has. */
export const readManifest = (text: string): Manifest | undefined => {
  const manifest = text.length > longestManifest ? undefined : Option.getOrUndefined(decodeManifest(text))
  return manifest === undefined || problemOf(manifest) !== undefined ? undefined : manifest
}

/** Rejects with `RangeError` if the expanded piece is too long. */
const expand = (bytes: Uint8Array, most: number) =>
  promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip)(bytes, { maxOutputLength: most })

/** Returns undefined if a piece is missing or damaged. */
const readFile = async (
  { path, size, sha256: digest, pieces }: Manifest["files"][number],
  blobOf: (digest: string) => Promise<Uint8Array | undefined>
): Promise<PackedFile | undefined> => {
  if (pieces.length !== Math.ceil(size / pieceBytes)) return undefined
  const read: Array<Uint8Array> = []
  for (const piece of pieces) {
    const compressed = await blobOf(piece)
    if (compressed === undefined || sha256(compressed) !== piece) return undefined
    const expanded = await expand(compressed, pieceBytes).catch(() => undefined)
    if (expanded === undefined) return undefined
    read.push(expanded)
  }
  const bytes = Buffer.concat(read)
  return bytes.length === size && sha256(bytes) === digest ? { path, bytes } : undefined
}

/** Returns undefined if anything is not as it was packed. */
export const decodePacked = async (
  { form: _, files, ...named }: Manifest,
  blobOf: (digest: string) => Promise<Uint8Array | undefined>
): Promise<Packed | undefined> => {
  const read: Array<PackedFile> = []
  for (const file of files) {
    const one = await readFile(file, blobOf)
    if (one === undefined) return undefined
    read.push(one)
  }
  return { ...named, files: read }
}

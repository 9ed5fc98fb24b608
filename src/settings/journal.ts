/**
 * What is written down while a settings file is changed, and what follows from it; pure. The journal alone is enough to
 * give the file back, whoever reads it and at whatever step its writer died. It stands in the user's state directory.
 */
import { createHash } from "node:crypto"
import { Equal, Option, Result, Schema } from "effect"
import { entriesOf, merge, notJson, type Patch, withdraw } from "./merge.ts"

/** A file as it stands on the disk; `null` where there is none. */
export const Snapshot = Schema.Struct({ bytes: Schema.Uint8ArrayFromBase64, mode: Schema.Int })
export type Snapshot = typeof Snapshot.Type

/** What a file was or becomes, without keeping it. */
export const Fingerprint = Schema.Struct({ sha256: Schema.String, mode: Schema.Int })
export type Fingerprint = typeof Fingerprint.Type

export const fingerprint = (file: Snapshot): Fingerprint => ({
  sha256: createHash("sha256").update(file.bytes).digest("hex"),
  mode: file.mode
})

/** Fits into the name of a file. */
const Id = Schema.String.check(Schema.isPattern(/^[0-9a-f-]{36}$/))

/** What one run has put into the file. */
export const Claim = Schema.Struct({
  /** Of the lock by which its process answers for it. */
  id: Id,
  secret: Schema.Boolean,
  patch: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Json))
})
export type Claim = typeof Claim.Type

/** Of a file: who may read and change it where its mode says nothing to others. */
const Owner = Schema.Struct({ uid: Schema.Int, gid: Schema.Int })
export type Owner = typeof Owner.Type

export const Journal = Schema.Struct({
  version: Schema.Literal(2),
  /** The working directory, and when it was made. */
  directory: Schema.String,
  born: Schema.String,
  path: Schema.Array(Schema.String),
  /** The user's file, with the edits that he made since. */
  original: Schema.NullOr(Snapshot),
  /** Of the user's file, where that is another one than the writer's. */
  owner: Schema.optionalKey(Owner),
  /** The directory of the file was made for it. */
  madeDirectory: Schema.Boolean,
  /** The name beside the file under which it is written before it takes its place. */
  temporary: Schema.String.check(Schema.isPattern(/^\.reins-[0-9a-f-]{36}$/)),
  /** What the file was and what it becomes: a writer may die in between. */
  written: Schema.Array(Schema.NullOr(Fingerprint)),
  claims: Schema.Array(Claim),
  /** Of runs that are over, but what they put in may still be in the file. */
  left: Schema.Array(Claim)
})
export type Journal = typeof Journal.Type

const codec = Schema.fromJsonString(Schema.toCodecJson(Journal))
export const encodeJournal = Schema.encodeSync(codec)
export const decodeJournal = Schema.decodeUnknownResult(codec)

/** Only its owner may read what can hold a secret, and what was made here. */
export const privateMode = 0o600

const decodeText = (bytes: Uint8Array) =>
  Result.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => notJson
  })
const encodeText = (text: string) => new TextEncoder().encode(text)

export const isSame = (a: Snapshot | null, b: Snapshot | null) =>
  Equal.equals(a?.bytes, b?.bytes) && a?.mode === b?.mode

const patchesOf = (claims: ReadonlyArray<Claim>): ReadonlyArray<Patch> => claims.map(({ patch }) => patch)

/**
 * The user's file as it is without anything that was put into it: the original, or his edit of what stood there. Fails
 * when that edit is no JSON.
 */
export const userFile = (
  journal: Journal | undefined,
  current: Snapshot | null
): Result.Result<Snapshot | null, string> => {
  if (journal === undefined || current === null) return Result.succeed(current)
  const { original, written, claims, left } = journal
  const ours = [original === null ? null : fingerprint(original), ...written]
  const { sha256 } = fingerprint(current)
  const isOwnMode = ours.some((known) => known?.mode === current.mode)
  const mode = isOwnMode && original !== null ? original.mode : current.mode
  if (ours.some((known) => known?.sha256 === sha256)) {
    return Result.succeed(original === null ? null : { ...original, mode })
  }
  const originalText = original === null ? undefined : Result.getOrUndefined(decodeText(original.bytes))
  const patches = patchesOf([...left, ...claims])
  const text = Result.flatMap(decodeText(current.bytes), (edited) => withdraw(edited, originalText, patches))
  return Result.map(text, (withdrawn) => {
    const isEmpty = /^\s*\{\s*\}\s*$/.test(withdrawn)
    return original === null && isEmpty ? null : { bytes: encodeText(withdrawn), mode }
  })
}

/** Whether a file that is no JSON may hold something that was put there. */
export const mentions = (current: Snapshot | null, claims: ReadonlyArray<Claim>): boolean => {
  const text = new TextDecoder().decode(current?.bytes)
  return entriesOf(patchesOf(claims)).some(({ name }) => text.includes(JSON.stringify(name)))
}

const newFile = "{\n}\n"

/** The user's file with what the runs need in it. Fails with what is wrong with the file. */
export const withClaims = (
  user: Snapshot | null,
  claims: ReadonlyArray<Claim>
): Result.Result<Snapshot | null, string> => {
  if (claims.length === 0) return Result.succeed(user)
  const text = user === null ? Result.succeed(newFile) : decodeText(user.bytes)
  const mode = user === null || claims.some(({ secret }) => secret) ? privateMode : user.mode
  return Result.map(
    Result.flatMap(text, (given) => merge(given, patchesOf(claims))),
    (merged) => ({ bytes: encodeText(merged), mode })
  )
}

/** The member that another run has defined in another way. */
export const conflict = (claims: ReadonlyArray<Claim>, patch: Patch): Option.Option<string> => {
  const taken = entriesOf(patchesOf(claims))
  const own = entriesOf([patch]).find((entry) =>
    taken.some(
      ({ section, name, value }) =>
        section === entry.section && name === entry.name && !Equal.equals(value, entry.value)
    )
  )
  return Option.map(Option.fromUndefinedOr(own), ({ section, name }) => `${section}.${name}`)
}

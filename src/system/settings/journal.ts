/**
 * The journal of a changed settings file, and the files that follow from it; pure. Kept in the user's state directory,
 * it alone is enough to restore the file at whatever step its writer died.
 */
import { createHash } from "node:crypto"
import { Equal, Option, Result, Schema } from "effect"
import { entriesOf, merge, notJson, type Patch, withdraw } from "./merge.ts"

/** Content and mode of a file; `null` stands for a missing file. */
export const Snapshot = Schema.Struct({ bytes: Schema.Uint8ArrayFromBase64, mode: Schema.Int })
export type Snapshot = typeof Snapshot.Type

/** Identifies the content and mode of a file without keeping it. */
export const Fingerprint = Schema.Struct({ sha256: Schema.String, mode: Schema.Int })
export type Fingerprint = typeof Fingerprint.Type

export const fingerprint = (file: Snapshot): Fingerprint => ({
  sha256: createHash("sha256").update(file.bytes).digest("hex"),
  mode: file.mode
})

/** Safe as a part of a file name. */
const Id = Schema.String.check(Schema.isPattern(/^[0-9a-f-]{36}$/))

/** The members that one run has put into the file. */
export const Claim = Schema.Struct({
  /** Also of the lock that its process holds as long as it lives. */
  id: Id,
  secret: Schema.Boolean,
  patch: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Json))
})
export type Claim = typeof Claim.Type

/** Owner of a file. */
const Owner = Schema.Struct({ uid: Schema.Int, gid: Schema.Int })
export type Owner = typeof Owner.Type

export const Journal = Schema.Struct({
  version: Schema.Literal(2),
  /** The working directory, and its creation time. */
  directory: Schema.String,
  born: Schema.String,
  path: Schema.Array(Schema.String),
  /** The user's file, including later edits of the user. */
  original: Schema.NullOr(Snapshot),
  /** Owner of the user's file, if it is not the writer. */
  owner: Schema.optionalKey(Owner),
  /** The file's directory was created with it. */
  madeDirectory: Schema.Boolean,
  /** Name beside the file under which it is written before it is renamed. */
  temporary: Schema.String.check(Schema.isPattern(/^\.reins-[0-9a-f-]{36}$/)),
  /** The file before and after the last change: a writer may die in between. */
  written: Schema.Array(Schema.NullOr(Fingerprint)),
  claims: Schema.Array(Claim),
  /** Claims of finished runs whose members may still be in the file. */
  left: Schema.Array(Claim)
})
export type Journal = typeof Journal.Type

const codec = Schema.fromJsonString(Schema.toCodecJson(Journal))
export const encodeJournal = Schema.encodeSync(codec)
export const decodeJournal = Schema.decodeUnknownResult(codec)
/** For files with secrets and for files that are created here: readable for the owner only. */
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

/** The original, or the user's later edit of it without the members of runs. Fails when that edit is not JSON. */
export const userFile = (
  journal: Journal | undefined,
  current: Snapshot | null
): Result.Result<Snapshot | null, string> => {
  if (journal === undefined || current === null) return Result.succeed(current)
  const { original, written: content, claims, left } = journal
  const known = [original === null ? null : fingerprint(original), ...content]
  const { sha256 } = fingerprint(current)
  const isKnownMode = known.some((file) => file?.mode === current.mode)
  const mode = isKnownMode && original !== null ? original.mode : current.mode
  if (known.some((file) => file?.sha256 === sha256)) {
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

/** Whether a file that is not JSON may contain members of these claims. */
export const mentions = (current: Snapshot | null, claims: ReadonlyArray<Claim>): boolean => {
  const text = new TextDecoder().decode(current?.bytes)
  return entriesOf(patchesOf(claims)).some(({ name }) => text.includes(JSON.stringify(name)))
}

const newFile = "{\n}\n"

/** The user's file with the members of all claims. Fails with the problem of the file. */
export const withClaims = (
  user: Snapshot | null,
  claims: ReadonlyArray<Claim>
): Result.Result<Snapshot | null, string> => {
  if (claims.length === 0) return Result.succeed(user)
  const text = user === null ? Result.succeed(newFile) : decodeText(user.bytes)
  const mode = user === null || claims.some(({ secret }) => secret) ? privateMode : user.mode
  return Result.map(
    Result.flatMap(text, (before) => merge(before, patchesOf(claims))),
    (merged) => ({ bytes: encodeText(merged), mode })
  )
}

/** The member that another run defines differently. */
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

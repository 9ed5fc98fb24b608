/**
 * The program of OpenCode (1.18.33) for a move: `export`, whose output goes to a file, since a pipe cuts it off, and `import`. A
 * file in the root of the CLI marks an imported session, with its digest.
 */
import { createHash } from "node:crypto"
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { Effect } from "effect"
import { clis } from "../../cli/clis.ts"
import { findStored } from "../../cli/stored/find.ts"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { untraced } from "../../contract/untraced.ts"
import { findCommand } from "../../system/process/findCommand.ts"
import { ask } from "../../system/process/probe.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"
import { type CliPlace, limits, NotMoved, notMoved, type PackedFile } from "./packed.ts"
import { exportName, idsOfExport } from "./sessionFiles.ts"

/** Turns a failure at a session's files into a sentence that shows nothing of them. */
const problemOf = (cause: unknown): NotMoved => {
  if (cause instanceof NotMoved) return cause
  const code = codeOf(cause)
  return notMoved(`the files of the CLI cannot be used: ${code === undefined ? "an unknown error" : explain(code)}`)
}

export const asNotMoved = <A>(work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, NotMoved> =>
  Effect.tryPromise({ try: work, catch: problemOf })

interface OpencodeSession {
  readonly sessionId: string
  readonly place: CliPlace
}

const patience = "60 seconds"

const privateDirectory = Effect.acquireRelease(
  asNotMoved(() => mkdtemp(join(tmpdir(), "reins-move-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }).catch(() => {}))
)

/** Runs a command of the CLI; its output goes to a file. */
const call = Effect.fn(...untraced("OpencodeProgram.call"))(function* (
  { place: { env, opencode = clis.opencode.command } }: OpencodeSession,
  args: ReadonlyArray<string>,
  output: string,
  workingDirectory: string
) {
  const program = yield* findCommand(opencode, (env["PATH"] ?? "").split(delimiter))
  if (program === undefined) return yield* notMoved("opencode is not installed at the home")
  const values = Object.entries({ ...env, PWD: workingDirectory }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const]
  )
  const answer = yield* ask({
    path: "/bin/sh",
    args: ["-c", 'out="$1"; shift; exec "$@" > "$out"', "sh", output, program, ...args],
    timeout: patience,
    workingDirectory,
    env: Object.fromEntries(values)
  })
  if (answer._tag === "Unanswered") return yield* notMoved(`opencode ${args[0]} ${answer.problem}`)
  if (answer.exitCode !== 0) return yield* notMoved(`opencode ${args[0]} failed with exit code ${answer.exitCode}`)
})

const stored = ({ sessionId, place: { env } }: OpencodeSession) =>
  asNotMoved((signal) => findStored({ cli: clis.opencode, env }, sessionId, signal))

const exported = Effect.fn(...untraced("OpencodeProgram.exported"))(function* (session: OpencodeSession) {
  const output = join(yield* privateDirectory, exportName)
  yield* call(session, ["export", session.sessionId], output, tmpdir())
  const reading = yield* asNotMoved(() => readRegular(output, limits.totalBytes, readFlags.notFollowing))
  if (reading._tag !== "Read") {
    return yield* notMoved(`the session is larger than ${limits.totalBytes / 1024 / 1024} MiB`)
  }
  const ids = idsOfExport(Buffer.from(reading.bytes).toString("utf8"), session.sessionId)
  if (ids === undefined) return yield* notMoved("opencode export printed something else than the session")
  return { bytes: reading.bytes, ids }
}, Effect.scoped)

export const exportSession = Effect.fn(...untraced("OpencodeProgram.exportSession"))(function* (
  session: OpencodeSession
) {
  if ((yield* stored(session)) === undefined) return yield* notMoved("its CLI no longer has the session")
  const { bytes } = yield* exported(session)
  return { path: exportName, bytes } satisfies PackedFile
})

const digestOf = (ids: ReadonlySet<string>) =>
  createHash("sha256")
    .update(JSON.stringify([...ids].toSorted()))
    .digest("hex")

const markOf = (root: string, moveId: string) => join(root, `.reins-${moveId}.new`)

/** Imports into a directory. Fails if the CLI has a session of this id with other messages. */
export const importSession = Effect.fn(...untraced("OpencodeProgram.importSession"))(function* (
  session: OpencodeSession,
  root: string,
  moveId: string,
  directory: string,
  bytes: Uint8Array
) {
  const ids = idsOfExport(Buffer.from(bytes).toString("utf8"), session.sessionId)
  if (ids === undefined) return yield* notMoved("the package is not a session of opencode")
  if ((yield* stored(session)) === undefined) {
    yield* asNotMoved(async () => {
      await mkdir(root, { mode: 0o700, recursive: true })
      await writeFile(markOf(root, moveId), digestOf(ids), { mode: 0o600 })
    })
  } else if ([...(yield* exported(session)).ids].some((id) => !ids.has(id))) {
    return yield* notMoved("the home has a session of this id with other content")
  }
  const folder = yield* privateDirectory
  const file = join(folder, exportName)
  yield* asNotMoved(() => writeFile(file, bytes, { mode: 0o600, flag: "wx" }))
  yield* call(session, ["import", file], join(folder, "output"), directory)
  const found = yield* stored(session)
  // The CLI knows its directory without symbolic links.
  const real = yield* asNotMoved(() => realpath(directory))
  if (found === undefined || ![directory, real].some((one) => found.directories.includes(one))) {
    return yield* notMoved("opencode import did not bring the session into the directory")
  }
}, Effect.scoped)

/** Deletes imported sessions, unless they were continued. */
export const removeImported = Effect.fn(...untraced("OpencodeProgram.removeImported"))(function* (
  session: OpencodeSession,
  root: string,
  moveId: string
) {
  const digest = yield* Effect.promise(() => readFile(markOf(root, moveId), "utf8").catch(() => undefined))
  if (digest === undefined) return
  if ((yield* stored(session)) !== undefined && digestOf((yield* exported(session)).ids) === digest) {
    const folder = yield* privateDirectory
    yield* call(session, ["session", "delete", session.sessionId], join(folder, "output"), tmpdir())
  }
  yield* keepImported(root, moveId)
}, Effect.scoped)

/** Removes the mark: the move is over. */
export const keepImported = (root: string, moveId: string) =>
  asNotMoved(() => rm(markOf(root, moveId), { force: true }))

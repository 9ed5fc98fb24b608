/** Commands on sessions: they query the history of the store, and print. */
import { randomBytes } from "node:crypto"
import { link, open, rename as renameFile, unlink } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Console, Effect, Option, Stream } from "effect"
import { codeOf, explain } from "../../contract/errors/system.ts"
import type { ExportFormat, SessionFilter, SessionInfo, SessionRef } from "../../contract/Sessions.ts"
import { StoreError, UnknownSession } from "../../contract/StoreError.ts"
import { untraced } from "../../contract/untraced.ts"
import { resumeLine } from "../../conversations/ResumeLine.ts"
import { SessionHistory } from "../../conversations/SessionHistory.ts"
import { Store } from "../../conversations/store/Store.ts"
import { homeName } from "../../conversations/turns/lookUp.ts"
import { cliIds } from "../chosenAgent.ts"
import { badUsage, failWith } from "../exit.ts"
import { oneLine } from "../format.ts"
import { write } from "../show.ts"
import { paint } from "../style.ts"
import { ago, costOf, holderText, isTime, shownTitle } from "./cells.ts"
import { currentScene, type Scene, sessionLines } from "./table.ts"

const states: Readonly<Record<SessionInfo["state"], string>> = {
  live: "can be gone on with",
  dead: "the CLI no longer has it",
  quarantined: "set aside: it failed in a way that a resume would repeat",
  archived: "archived"
}

const origins: Readonly<Record<SessionInfo["origin"], string>> = {
  reins: "begun by Reins",
  adopted: "adopted from the CLI's own",
  outside: "one of the CLI's own; reins sessions adopt takes it over"
}

const time = (at: number, now: number) =>
  isTime(at) ? `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC, ${ago(at, now)}` : ago(at, now)

export const detailLines = (
  session: SessionInfo,
  resumeLine: string | undefined,
  { surface, now }: Scene
): ReadonlyArray<string> => {
  const { holder, createdAt, turns, costUsd } = session
  const facts: ReadonlyArray<readonly [string, string | undefined]> = [
    ["id", session.id],
    ["cli", session.cli],
    ["session", session.sessionId],
    ["conversation", session.conversation?.join(" / ")],
    ["directory", session.directory],
    ["model", session.model],
    ["origin", origins[session.origin]],
    ["state", holder === undefined ? states[session.state] : holderText(holder, now)],
    ["begun", createdAt === undefined ? undefined : time(createdAt, now)],
    ["last used", time(session.usedAt, now)],
    ["turns", turns === undefined ? undefined : String(turns)],
    ["cost", costUsd === undefined ? undefined : costOf(session)],
    ["forked from", session.parent],
    ["home", session.home],
    ["resume", resumeLine]
  ]
  const lines = facts.flatMap(([name, text]) =>
    text === undefined ? [] : [`${paint(surface, "dim", name.padEnd(13))}${oneLine(text)}`]
  )
  return [paint(surface, "bold", shownTitle(session)), ...lines]
}

/** Writes to stdout until its reader leaves; fails as the text does. */
const writeOut = <R>(text: Stream.Stream<string, StoreError, R>) =>
  Effect.gen(function* () {
    const failures: Array<StoreError> = []
    const stored = Stream.catch(text, (error) => {
      failures.push(error)
      return Stream.empty
    })
    const isWritten = yield* write(stored)
    const [failure] = failures
    if (failure !== undefined) return yield* failure
    if (!isWritten) return yield* failWith("stdout could not be written", 1)
  })

export interface Named {
  readonly id: string
  readonly cli: Option.Option<string>
}

const orElseUnknown = <A, R, B, S>(self: Effect.Effect<A, StoreError, R>, that: Effect.Effect<B, StoreError, S>) =>
  Effect.catchIf(
    self,
    ({ reason }) => reason._tag === "UnknownSession",
    () => that
  )

/** With a CLI: its own id, the conversation of this CLI, or the beginning of an id. */
export const refOf = Effect.fn(...untraced("Perform.refOf"))(function* ({ id, cli }: Named) {
  if (Option.isNone(cli)) return id
  const { get } = yield* SessionHistory
  const conversation = orElseUnknown(get({ conversation: id, cli: cli.value }), get(id))
  const found = yield* orElseUnknown(get({ cli: cli.value, sessionId: id }), conversation)
  if (found.cli !== cli.value) return yield* new StoreError({ reason: new UnknownSession({ session: id }) })
  const ref: SessionRef = found.id ?? { cli: found.cli, sessionId: found.sessionId }
  return ref
})

const jsonLine = (value: object) => `${JSON.stringify(value)}\n`

const noSessions = ({ outside }: SessionFilter) =>
  outside === true
    ? "No sessions here, and none of the CLIs themselves."
    : "No sessions yet. reins run --conversation NAME begins one; --outside shows those of the CLIs themselves."

export const list = Effect.fn(...untraced("Perform.list"))(function* (filter: SessionFilter, json: boolean) {
  const { list: sessionsOf } = yield* SessionHistory
  if (json) return yield* writeOut(Stream.map(sessionsOf(filter), jsonLine))
  const sessions = yield* Stream.runCollect(sessionsOf(filter))
  const others = yield* Stream.runCollect(sessionsOf({ all: true }))
  const lines = sessionLines(sessions, { ...(yield* currentScene), others })
  yield* Console.log(sessions.length === 0 ? noSessions(filter) : lines.join("\n"))
})

/** Undefined for an agent of an application, and for an id that does not fit into a line. */
const resumeLineOf = ({ cli, sessionId }: SessionInfo): string | undefined => {
  const id = cliIds.find((known) => known === cli)
  if (id === undefined) return undefined
  try {
    return resumeLine({ cli: id, sessionId }).replaceAll("`", "")
  } catch {
    return undefined
  }
}

export const show = Effect.fn(...untraced("Perform.show"))(function* (name: Named, json: boolean) {
  const session = yield* (yield* SessionHistory).get(yield* refOf(name))
  if (json) return yield* Console.log(JSON.stringify(session))
  const { home } = session
  const named = home === undefined ? session : { ...session, home: yield* homeName(yield* Store, home) }
  yield* Console.log(detailLines(named, resumeLineOf(session), yield* currentScene).join("\n"))
})

export const who = Effect.fn(...untraced("Perform.who"))(function* (name: Named, json: boolean) {
  const { holder } = yield* (yield* SessionHistory).get(yield* refOf(name))
  if (json) return yield* Console.log(JSON.stringify(holder ?? null))
  const { now } = yield* currentScene
  yield* Console.log(holder === undefined ? "it is free" : holderText(holder, now))
})

export const rename = Effect.fn(...untraced("Perform.rename"))(function* (name: Named, title: string) {
  yield* Console.log(shownTitle(yield* (yield* SessionHistory).rename(yield* refOf(name), title)))
})

export const archive = Effect.fn(...untraced("Perform.archive"))(function* (name: Named) {
  const session = yield* (yield* SessionHistory).archive(yield* refOf(name))
  yield* Console.log(`${shownTitle(session)}: archived; reins sessions --all shows it`)
})

export const forget = Effect.fn(...untraced("Perform.forget"))(function* (name: Named) {
  const history = yield* SessionHistory
  const ref = yield* refOf(name)
  const session = yield* history.get(ref)
  yield* history.forget(ref)
  yield* Console.log(`${shownTitle(session)}: forgotten; the files of ${oneLine(session.cli)} are as they were`)
})

export const fork = Effect.fn(...untraced("Perform.fork"))(function* (name: Named, conversation: string) {
  const session = yield* (yield* SessionHistory).fork(yield* refOf(name), { conversation })
  yield* Console.log(`${oneLine(conversation)} goes on in a copy of ${shownTitle(session)}, from its next turn on`)
})

export const adopt = Effect.fn(...untraced("Perform.adopt"))(function* (
  name: Named,
  conversation: Option.Option<string>
) {
  const options = Option.isSome(conversation) ? { conversation: conversation.value } : {}
  const session = yield* (yield* SessionHistory).adopt(yield* refOf(name), options)
  const next = session.conversation?.map(oneLine).join(" / ")
  yield* Console.log(
    next === undefined ? `${shownTitle(session)}: kept here now` : `${next} goes on with ${shownTitle(session)}`
  )
})

const problemOf = (cause: unknown): string => {
  const code = codeOf(cause)
  if (code === "EEXIST") return "exists; --force replaces it"
  return `cannot be written: ${code === undefined ? "the system refuses it" : explain(code)}`
}

const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: problemOf })

/** Writes a whole text to a new private file, or nothing. Fails with a problem of the file, or as the text does. */
export const writeToFile = <E, R>(text: Stream.Stream<string, E, R>, file: string, force: boolean) =>
  Effect.gen(function* () {
    const target = resolve(file)
    const temporary = join(dirname(target), `.reins-${randomBytes(6).toString("hex")}.tmp`)
    const handle = yield* Effect.acquireRelease(
      attempt(() => open(temporary, "wx", 0o600)),
      (opened) =>
        Effect.promise(async () => {
          await opened.close()
          await unlink(temporary).catch(() => {})
        })
    )
    yield* Stream.runForEach(text, (part) => attempt(() => handle.appendFile(part)))
    yield* attempt(() => handle.sync())
    yield* attempt(() => (force ? renameFile(temporary, target) : link(temporary, target)))
  }).pipe(Effect.scoped)

export interface ExportInput extends Named {
  readonly format: ExportFormat
  readonly out: Option.Option<string>
  readonly force: boolean
}

export const exportTo = Effect.fn(...untraced("Perform.exportTo"))(function* ({
  format,
  out,
  force,
  ...name
}: ExportInput) {
  const history = yield* SessionHistory
  const text = history.export(yield* refOf(name), format)
  if (Option.isNone(out)) return yield* writeOut(text)
  yield* writeToFile(text, out.value, force).pipe(
    Effect.catchIf(
      (problem) => typeof problem === "string",
      (problem) => failWith(`--out: ${out.value}: ${problem}`, badUsage)
    )
  )
  yield* Console.error(`reins: written to ${oneLine(out.value)}`)
})

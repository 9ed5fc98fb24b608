/** The candidates for a word: fixed ones, names of the user's store, and models that the CLI lists. */
import { existsSync } from "node:fs"
import { readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer, Option, Schema, Stream } from "effect"
import { AgentRuntime } from "../../agents/AgentRuntime.ts"
import { storeOptions } from "../../api/config/secrets.ts"
import type { SessionInfo } from "../../contract/Sessions.ts"
import { untraced } from "../../contract/untraced.ts"
import { SessionHistory } from "../../conversations/SessionHistory.ts"
import { findStateDirectory, openStateDirectory } from "../../system/locks/stateDirectory.ts"
import type { Platform } from "../../system/process/Platform.ts"
import { type AgentName, agentNames } from "../chosenAgent.ts"
import { chooseAgent, readConfig } from "../configured.ts"
import { idOf } from "../sessions/cells.ts"
import { configuredStore } from "../store.ts"
import type { CompletionTarget } from "./completionTarget.ts"

const mostSessions = 200

/** Does not create a missing store. */
const sessions = Effect.gen(function* () {
  const configuration = yield* readConfig(Option.none())
  const options = yield* storeOptions(configuration)
  const state = yield* findStateDirectory
  if (!("postgres" in options) && !existsSync(options.directory ?? join(state, "store"))) return []
  const listed = Effect.flatMap(SessionHistory, ({ list }) => Stream.runCollect(list({ limit: mostSessions })))
  return yield* Effect.provide(listed, Layer.provide(SessionHistory.layer, configuredStore(configuration)))
})

/** No flag accepts a name of several parts. */
const conversationOf = ({ conversation }: SessionInfo): ReadonlyArray<string> =>
  conversation?.length === 1 ? conversation : []

const dayMs = 24 * 60 * 60 * 1000
const decodeNames = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.String)))

const readCached = async (file: string): Promise<ReadonlyArray<string> | undefined> => {
  const info = await stat(file).catch(() => undefined)
  if (info === undefined || !info.isFile() || info.size > 1_000_000 || Date.now() - info.mtimeMs > dayMs)
    return undefined
  return Option.getOrUndefined(decodeNames(await readFile(file, "utf8")))
}

/** Cached for a day: the CLI takes seconds. */
const models = Effect.fn(...untraced("Candidates.models"))(function* (name: string | undefined) {
  const known = agentNames.find((agent) => agent === name)
  const agent: Option.Option<AgentName> = name === undefined ? Option.none() : Option.fromUndefinedOr(known)
  if (known === "acp" || known === "demo") return []
  const flags = { agent, config: Option.none(), cwd: Option.none(), json: true, isKept: false }
  const { chosen } = yield* chooseAgent(flags)
  const directory = yield* openStateDirectory("models")
  const file = join(directory, "models", `${chosen.cli.id}.json`)
  const cached = yield* Effect.promise(() => readCached(file))
  if (cached !== undefined) return cached
  const request = Effect.flatMap(AgentRuntime, (runtime) => runtime.models())
  const found = yield* Effect.provide(request, AgentRuntime.layer(chosen.cli, chosen.options))
  const ids = found.type === "listed" ? found.models.map(({ id }) => id) : []
  yield* Effect.tryPromise(() => writeFile(file, JSON.stringify(ids), { mode: 0o600 }))
  return ids
})

const candidatesOf = (target: CompletionTarget): Effect.Effect<ReadonlyArray<string>, unknown, Platform> => {
  switch (target._tag) {
    case "Words":
      return Effect.succeed(target.words)
    case "Conversations":
      return Effect.map(sessions, (all) => all.flatMap(conversationOf))
    case "Sessions":
      return Effect.map(sessions, (all) => all.map(idOf))
    case "Models":
      return models(target.agent)
    default:
      return Effect.succeed([])
  }
}

const patience = "5 seconds"

/** One line each, without control characters; empty if anything fails. A person waits for it. */
export const candidates = (target: CompletionTarget, typed: string) =>
  candidatesOf(target).pipe(
    Effect.timeout(patience),
    Effect.orElseSucceed((): ReadonlyArray<string> => []),
    Effect.map((all) => [...new Set(all)].filter((one) => one.startsWith(typed) && !/[\p{C}\n]/u.test(one)))
  )

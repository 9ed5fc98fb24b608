/** The methods of the protocol that a client may call: checks their params, and passes the work on to a session. */
import { Duration, Effect, FileSystem, Redacted, Result, Stream } from "effect"
import * as Approvals from "../../agents/Approvals.ts"
import { invalidParams, invalidRequest, type RpcError } from "../../cli/jsonRpc.ts"
import { type FailureReason, InvalidParams } from "../../contract/AgentError.ts"
import type { McpServer } from "../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { AttachmentKind } from "../../contract/Attachment.ts"
import { untraced } from "../../contract/untraced.ts"
import { modelOf, modelOption, modeOf, modeOption, modesFor } from "./choices.ts"
import type { Connection } from "./connection.ts"
import { makeEditorSession } from "./editorSession.ts"
import { errorOfFailure } from "./failures.ts"
import { conversationOf, keptSessions } from "./keptSessions.ts"
import type { Shows } from "./liveSession.ts"
import { makeOpenSessions } from "./openSessions.ts"
import { promptOf } from "./promptOf.ts"
import { type McpServerRequest, parse, type SessionPlace } from "./requests.ts"
import { type AcpServerOptions, makeOffers } from "./serverOptions.ts"

const recordOf = (pairs: McpServerRequest["env"]) =>
  Object.fromEntries((pairs ?? []).map(({ name, value }) => [name, Redacted.make(value)]))

const serverOf = ({ type, command, args, env, url, headers }: McpServerRequest): McpServer | string => {
  if (type === "sse") return "is of type sse, which is not supported: offer it as http"
  if (type === "http" || (type == null && command == null)) {
    return url ? { url, headers: recordOf(headers) } : "has neither command nor url"
  }
  if (type != null && type !== "stdio") return "is neither of type stdio nor http"
  return command ? { command, args: args ?? [], env: recordOf(env) } : "has no command"
}

/** The MCP servers of a client → those of a session; pure. Values of variables and headers are secrets. */
export const mcpServersOf = (
  servers: ReadonlyArray<McpServerRequest>
): Result.Result<Readonly<Record<string, McpServer>>, InvalidParams> => {
  const named = new Map<string, McpServer>()
  for (const [index, entry] of servers.entries()) {
    const server = serverOf(entry)
    const invalid = (problem: string) => Result.fail(new InvalidParams({ option: `mcpServers.${index}`, problem }))
    if (typeof server === "string") return invalid(server)
    if (named.has(entry.name)) return invalid("has the name of another one")
    named.set(entry.name, server)
  }
  return Result.succeed(Object.fromEntries(named))
}

const checkDirectory = Effect.fn(...untraced("Methods.checkDirectory"))(function* (option: string, path: string) {
  const fs = yield* FileSystem.FileSystem
  const invalid = (problem: string) => new InvalidParams({ option, problem })
  const info = yield* Effect.mapError(fs.stat(path), () =>
    invalid("is a directory that is not there, or cannot be read")
  )
  if (info.type !== "Directory") return yield* invalid("is not a directory")
})

/** The parameters of a session there, with those of the command line. */
const paramsAt = Effect.fn(...untraced("Methods.paramsAt"))(function* (base: AgentOpenParams, place: SessionPlace) {
  const { cwd } = place
  const others = place.additionalDirectories ?? []
  yield* checkDirectory("cwd", cwd)
  yield* Effect.forEach(others, (path, index) => checkDirectory(`additionalDirectories.${index}`, path))
  const servers = yield* Effect.fromResult(mcpServersOf(place.mcpServers ?? []))
  const directories = [...(base.additionalDirectories ?? []), ...others]
  return {
    ...base,
    workingDirectory: cwd,
    ...(directories.length === 0 ? {} : { additionalDirectories: directories }),
    ...(Object.keys(servers).length === 0 ? {} : { mcpServers: { ...base.mcpServers, ...servers } })
  } satisfies AgentOpenParams
})

/** The person at the client has unlimited time; requests end with the connection. */
const deadline = Duration.infinity

/** Clients without forms are asked no questions: the agent uses its defaults at once. */
const answering = ({ forms }: Shows): Required<Pick<AgentOpenParams, "approvals" | "questions">> => ({
  approvals: [Approvals.plan(undefined, { deadline }), Approvals.ask(undefined, { deadline })],
  questions: forms ? { deadline } : "off"
})

type Answer = Effect.Effect<unknown, RpcError>
type Method = (params: unknown) => Answer

const withParams =
  <A>(parser: (params: unknown) => Result.Result<A, FailureReason>, work: (params: A) => Answer): Method =>
  (params) =>
    Result.match(parser(params), { onFailure: (reason) => Effect.fail(errorOfFailure(reason)), onSuccess: work })

const invalid = (option: string, problem: string) => Effect.fail(errorOfFailure(new InvalidParams({ option, problem })))
const notInitialized: RpcError = { code: invalidRequest, message: "The connection has to begin with initialize." }

/** The sessions end with the scope. */
export const makeMethods = Effect.fn(...untraced("Methods.makeMethods"))(function* (
  connection: Connection,
  { cli, initialMode, inWords, label, models, params: base, sessions, version }: AcpServerOptions
) {
  const context = yield* Effect.context<FileSystem.FileSystem>()
  const takes: ReadonlySet<AttachmentKind> = cli.attachments ?? new Set()
  const open = yield* makeOpenSessions
  /** Undefined before `initialize`. */
  let shows: Shows | undefined

  /** Not for problems with params of the client: its words are those of the protocol. */
  const inOwnWords = <A, R>(work: Effect.Effect<A, RpcError, R>) =>
    Effect.mapError(work, (error) => ({ ...error, message: inWords(error.message) }))

  const store = inOwnWords(Effect.mapError(sessions, errorOfFailure))
  const stored = Effect.map(store, (found) => keptSessions(found, cli.id))
  const offerModels = yield* makeOffers(models)

  const openAt = (id: string, place: SessionPlace, before: Effect.Effect<void, RpcError> = Effect.void) =>
    open.add(
      id,
      Effect.gen(function* () {
        const capabilities = shows ?? { notices: false, forms: false }
        const params = yield* Effect.mapError(Effect.provide(paramsAt(base, place), context), errorOfFailure)
        const conversations = yield* store
        yield* before
        const own = { ...params, ...answering(capabilities), conversation: conversationOf(id) }
        const session = yield* makeEditorSession({
          id,
          connection,
          shows: capabilities,
          initial: initialMode,
          model: params.model,
          open: ({ mode, model }) => conversations.open({ ...own, permissionMode: mode, model })
        })
        yield* inOwnWords(session.opened)
        yield* offerModels(session, place.cwd)
        return session
      })
    )

  const reopen = (tellsAll: boolean) =>
    withParams(parse.openSession, ({ sessionId, ...place }) =>
      Effect.gen(function* () {
        const known = yield* stored
        yield* known.check(sessionId)
        yield* open.close(sessionId)
        const tell = Stream.runForEach(known.history(sessionId), (update) =>
          connection.notify("session/update", { sessionId, update })
        )
        return (yield* openAt(sessionId, place, tellsAll ? tell : Effect.void)).choices()
      })
    )

  const setMode = Effect.fn(...untraced("Methods.setMode"))(function* (sessionId: string, option: string, id: string) {
    const session = yield* open.find(sessionId)
    const mode = modeOf(initialMode, id)
    if (mode === undefined) return yield* invalid(option, `is not one of ${modesFor(initialMode).join(", ")}`)
    yield* inOwnWords(session.setMode(mode))
    return session
  })

  const setModel = Effect.fn(...untraced("Methods.setModel"))(function* (sessionId: string, value: string) {
    const session = yield* open.find(sessionId)
    const model = modelOf(session.chosen(), value)
    if (model === undefined) return yield* invalid("value", "is not one of the offered models")
    yield* inOwnWords(session.setModel(model))
    return session
  })

  const initialize = withParams(parse.initialize, ({ clientCapabilities }) => {
    shows = {
      notices: clientCapabilities?.session?.notices != null,
      forms: clientCapabilities?.elicitation?.form != null
    }
    return Effect.succeed({
      protocolVersion: 1,
      agentInfo: { name: "reins", title: `Reins: ${label}`, version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: takes.has("image"), audio: takes.has("audio"), embeddedContext: true },
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} }
      },
      authMethods: []
    })
  })

  const methods: Readonly<Record<string, Method>> = {
    authenticate: () =>
      Effect.fail({
        code: invalidParams,
        message: `Reins does not sign in to CLIs. To sign in to ${label}: ${cli.signIn}.`
      }),
    "session/new": withParams(parse.newSession, (place) =>
      Effect.gen(function* () {
        const sessionId = crypto.randomUUID()
        return { sessionId, ...(yield* openAt(sessionId, place)).choices() }
      })
    ),
    "session/load": reopen(true),
    "session/resume": reopen(false),
    "session/list": withParams(parse.listSessions, ({ cwd }) =>
      Effect.map(
        Effect.flatMap(stored, ({ list }) => list(cwd ?? undefined)),
        (listed) => ({ sessions: listed })
      )
    ),
    "session/close": withParams(parse.session, ({ sessionId }) =>
      Effect.as(Effect.andThen(open.find(sessionId), open.close(sessionId)), {})
    ),
    "session/prompt": withParams(parse.prompt, ({ sessionId, prompt }) =>
      Effect.gen(function* () {
        const session = yield* open.find(sessionId)
        const entry = promptOf(prompt, takes)
        if (Result.isFailure(entry)) return yield* Effect.fail(errorOfFailure(entry.failure))
        return yield* inOwnWords(session.prompt(entry.success))
      })
    ),
    "session/set_mode": withParams(parse.setMode, ({ sessionId, modeId }) =>
      Effect.as(
        Effect.flatMap(setMode(sessionId, "modeId", modeId), ({ tellOptions }) => tellOptions),
        {}
      )
    ),
    "session/set_config_option": withParams(parse.setOption, ({ sessionId, configId, value }) =>
      Effect.gen(function* () {
        if (configId !== modeOption && configId !== modelOption) return yield* invalid("configId", "is not known")
        const session = yield* configId === modeOption ? setMode(sessionId, "value", value) : setModel(sessionId, value)
        if (configId === modeOption) yield* session.tellMode
        return { configOptions: session.choices().configOptions }
      })
    )
  }

  return {
    /** Returns undefined for an unknown method. */
    of: (name: string): Method | undefined => {
      if (name === "initialize") return initialize
      if (!Object.hasOwn(methods, name)) return undefined
      return shows === undefined ? () => Effect.fail(notInitialized) : methods[name]
    },
    /** Handles a notification; invalid ones are ignored. */
    cancel: (entry: unknown) =>
      Result.match(parse.session(entry), {
        onFailure: () => Effect.void,
        onSuccess: ({ sessionId }) => open.cancel(sessionId)
      })
  }
})

export type Methods = Effect.Success<ReturnType<typeof makeMethods>>

/**
 * The needs of `reins serve` on this machine besides agents and a valid configuration. Creates and changes nothing, but for
 * `--fix`.
 */
import { existsSync, statfsSync } from "node:fs"
import { createServer } from "node:net"
import { dirname } from "node:path"
import { Clock, Context, Effect, type FileSystem, Layer, type Path, Result, type Scope } from "effect"
import { type ChannelKind, channels } from "../../api/config/channels.ts"
import { findTranscribeProgram } from "../../bridge/intake/Transcriber.ts"
import type { Finding } from "../../bridge/messages/Channel.ts"
import { channelId } from "../../channels/web/ids.ts"
import type { Configuration, ConfiguredPeople } from "../../contract/Configuration.ts"
import type { StoreReport } from "../../contract/DoctorReport.ts"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { plural } from "../../contract/text/amounts.ts"
import { untraced } from "../../contract/untraced.ts"
import { countIn } from "../../conversations/store/columns.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { Store } from "../../conversations/store/Store.ts"
import { findStateDirectory, openStateDirectory } from "../../system/locks/stateDirectory.ts"
import { type ReadyChannel, ready } from "../serve/channels.ts"
import { readStatus, type ServeStatus } from "../serve/readStatus.ts"
import { transcriptionOf } from "../serve/serving.ts"
import { certificateProblems, readTls } from "../serve/tls.ts"
import { readyWebhooks, usualWebhookPort } from "../serve/webhooks.ts"
import { configuredStore } from "../store.ts"
import { type ChannelReport, type CheckedChannel, checkChannels } from "./channels.ts"

export const fine = (message: string): Finding => ({ level: "ok", message })
export const doubtful = (message: string, help: string): Finding => ({ level: "warning", message, help })
export const bad = (message: string, help: string): Finding => ({ level: "failure", message, help })

const peopleFindings = (
  { id }: ChannelKind,
  { owners = [], admins = [], approvers = [], users = [] }: ConfiguredPeople
): ReadonlyArray<Finding> =>
  owners.length + admins.length + approvers.length + users.length > 0
    ? []
    : [
        doubtful(
          `${id} lists no people: only paired people may write to the bot`,
          `List your id as ${id}.owners, or start once with reins serve --pair`
        )
      ]

const findingsOf = (kind: ChannelKind, people: ConfiguredPeople, { openForCheck }: ReadyChannel) =>
  Effect.scoped(
    Effect.matchEffect(openForCheck, {
      onSuccess: ({ check }) => Effect.map(check, (findings) => [...peopleFindings(kind, people), ...findings]),
      onFailure: ({ problem, help = `Correct [${kind.id}] of reins.toml` }) =>
        Effect.succeed([bad(`${kind.id}: ${problem}`, help)])
    })
  )

/** @param fixes Whether problems are fixed if possible; what cannot be fixed is a finding of the check. */
const chatChannels = (configuration: Configuration, fixes: boolean): ReadonlyArray<CheckedChannel> =>
  channels.flatMap((kind) => {
    const people = configuration[kind.id]
    if (people === undefined) return []
    const help = "Set the variable, or name a file that only you can read: mode 0600"
    const found = ready(kind, configuration)
    const check = Effect.matchEffect(found, {
      onSuccess: (all) =>
        Effect.map(
          Effect.forEach(all, (one) => findingsOf(kind, people, one)),
          (each) => each.flat()
        ),
      onFailure: (problem) => Effect.succeed([bad(problem, help)])
    })
    const fix = Effect.flatMap(found, (all) => Effect.forEach(all, (one) => one.fix)).pipe(
      Effect.scoped,
      Effect.map((each) => each.flat()),
      Effect.orElseSucceed((): ReadonlyArray<string> => [])
    )
    return [{ id: kind.id, check, ...(fixes ? { fix } : {}) }]
  })

const listens = (port: number, host: string) =>
  Effect.callback<string | undefined>((resume) => {
    const server = createServer()
    server.once("error", (problem) => resume(Effect.succeed(explain(codeOf(problem) ?? "UNKNOWN"))))
    server.listen(port, host, () => server.close(() => resume(Effect.succeed(undefined))))
  })

/** A default port that is taken is not a failure: others are tried. */
const portFinding = Effect.fn(...untraced("Serve.portFinding"))(function* (
  { web = {} }: Pick<Configuration, "web">,
  isServed: boolean
) {
  const { port, host = "127.0.0.1" } = web
  if (isServed) return fine("reins serve runs, with its port")
  if (port === undefined) return fine("the first free port from 7346 to 7355 is used")
  const problem = yield* listens(port, host)
  return problem === undefined
    ? fine(`port ${port} of ${host} is free`)
    : bad(`port ${port} of ${host} cannot be used: ${problem}`, "End what uses it, or set web.port to another one")
})

const tlsFindings = Effect.fn(...untraced("Serve.tlsFindings"))(function* ({ web }: Pick<Configuration, "web">) {
  if (web?.tls === undefined) return []
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.match(readTls(web.tls), {
    onSuccess: ({ cert }) => {
      const problems = certificateProblems(cert, web.hosts ?? [], now)
      const help = "Browsers will warn of the page: get another certificate"
      return problems.length === 0
        ? [fine("the certificate of the page can be used")]
        : problems.map((problem) => bad(problem, help))
    },
    onFailure: (problem) => [bad(problem, "Correct web.tls of reins.toml, or the files")]
  })
})

/** @param isServed A host of this store has the port. */
export const webChannel = (configuration: Pick<Configuration, "web">, isServed: boolean): CheckedChannel => ({
  id: channelId,
  check: Effect.map(Effect.all([tlsFindings(configuration), portFinding(configuration, isServed)]), ([tls, port]) => [
    ...tls,
    port
  ])
})

const mib = 1024 * 1024

/** Free space for the store, its log and the files of agents. */
export const diskFinding = (freeBytes: number): Finding => {
  const text = `${Math.floor(freeBytes / mib)} MiB are free where the store is`
  if (freeBytes < 100 * mib) return bad(text, "Free some: a store that cannot be written takes no message in")
  return freeBytes < 1024 * mib ? doubtful(text, "Free some before it runs for long") : fine(text)
}

/** @param newest When the newest row of the store was written. */
export const clockFinding = (now: number, newest: number | undefined): Finding => {
  const behind = newest === undefined ? 0 : newest - now
  return behind <= 60_000
    ? fine("the clock is not behind what the store has seen")
    : bad(
        `the clock is ${plural(Math.round(behind / 60_000), "minute")} behind what the store has seen`,
        "Set the clock: schedules run late, and budgets count to the wrong day"
      )
}

export const rowsFinding = ({ unsent: { failed, unknown } }: Pick<ServeStatus, "unsent">): Finding =>
  failed + unknown === 0
    ? fine("every message was sent")
    : doubtful(
        `${plural(failed, "message")} could not be sent, and of ${unknown} it is not known`,
        "People are told in their chats; what is not known, they can have shown there"
      )

const stateFinding: Effect.Effect<Finding> = Effect.gen(function* () {
  const directory = yield* findStateDirectory
  if (!existsSync(directory)) return fine("the state directory is made at the first start")
  yield* openStateDirectory()
  return fine("the state directory is yours alone")
}).pipe(Effect.catch(({ message }) => Effect.succeed(bad(message, "Without it no host keeps another one out"))))

/** The program that transcribes voice messages. */
const transcriptionFindings = Effect.fnUntraced(function* (configuration: Configuration) {
  const transcribe = transcriptionOf(configuration)
  if (transcribe === undefined) return []
  const program = transcribe.command[0] ?? ""
  return (yield* findTranscribeProgram(transcribe)) === undefined
    ? [bad(`transcribe.command: the program ${program} is missing`, "Install it, or correct the line of reins.toml")]
    : [fine(`voice messages are transcribed by ${program}`)]
})

const existing = (place: string): string =>
  existsSync(place) || dirname(place) === place ? place : existing(dirname(place))

const diskOf = (place: string) =>
  Effect.try(() => {
    const { bavail, bsize } = statfsSync(existing(place))
    return diskFinding(bavail * bsize)
  }).pipe(Effect.option)

const newestIn = ({ sql, read }: OpenStore) =>
  Effect.map(read(sql<object>`select max(at) as at from inbox`), ([row = {}]) => countIn(row, "at"))

const ofStore = Effect.fn(...untraced("Serve.ofStore"))(function* (configuration: Configuration, now: number) {
  const store = Context.get(yield* Layer.build(configuredStore(configuration)), Store)
  const status = yield* readStatus(store, now)
  const isServed = status.accounts.some((account) => account.isServed)
  return { isServed, findings: [rowsFinding(status), clockFinding(now, yield* newestIn(store))] }
})

export interface ServeReport {
  /** About this machine, whatever is served. */
  readonly findings: ReadonlyArray<Finding>
  readonly channels: ReadonlyArray<ChannelReport>
}

const webhookFindings = Effect.fn(...untraced("Serve.webhookFindings"))(function* (
  configuration: Configuration,
  isServed: boolean
) {
  const { webhooks = {}, webhookServer: { host = "127.0.0.1", port = usualWebhookPort, tls } = {} } = configuration
  const ofSecrets = yield* Effect.match(readyWebhooks(configuration), {
    onSuccess: () =>
      fine(
        `deliveries are taken at ${Object.keys(webhooks)
          .map((name) => `/hooks/${name}`)
          .join(", ")}`
      ),
    onFailure: (problem) => bad(problem, "Set the variable, or name a file that only you can read: mode 0600")
  })
  const ofTls =
    tls === undefined
      ? []
      : yield* Effect.match(readTls(tls, "webhookServer.tls"), {
          onSuccess: () => [fine("the certificate of the webhooks can be used")],
          onFailure: (problem) => [bad(problem, "Correct webhookServer.tls of reins.toml, or the files")]
        })
  const problem = isServed ? undefined : yield* listens(port, host)
  const help = "End what uses it, or set webhookServer.port to another one"
  const ofPort =
    problem === undefined
      ? fine(isServed ? "reins serve runs, with its port" : `port ${port} of ${host} is free`)
      : bad(`port ${port} of ${host} cannot be used: ${problem}`, help)
  return [ofSecrets, ...ofTls, ofPort]
})

/** Undefined without webhooks. */
export const webhookChannel = (configuration: Configuration, isServed: boolean): CheckedChannel | undefined =>
  Object.keys(configuration.webhooks ?? {}).length === 0
    ? undefined
    : { id: "webhook", check: webhookFindings(configuration, isServed) }

/** The configured channels, as far as they can be checked while they are not served. */
export const channelsOf = (
  configuration: Configuration,
  isServed: boolean,
  fixes = false
): ReadonlyArray<CheckedChannel> => {
  const webhooks = webhookChannel(configuration, isServed)
  return [
    webChannel(configuration, isServed),
    ...chatChannels(configuration, fixes),
    ...(webhooks === undefined ? [] : [webhooks])
  ]
}

/** @param channels Default: those of the configuration. */
export const examineServe = Effect.fn(...untraced("Serve.examineServe"))(function* (
  configuration: Configuration,
  store: StoreReport,
  channels: typeof channelsOf = channelsOf
): Effect.fn.Return<ServeReport, never, FileSystem.FileSystem | Path.Path | Scope.Scope> {
  const now = yield* Clock.currentTimeMillis
  const isUsable = store.status === "good"
  const found = isUsable ? yield* Effect.result(ofStore(configuration, now)) : undefined
  const isRead = found !== undefined && Result.isSuccess(found)
  const isBroken = store.status !== "absent" && !isRead
  const help = "reins serve needs it: see the store above"
  const why = found !== undefined && Result.isFailure(found) ? `: ${found.failure.message}` : ""
  const disk = store.kind === "file" ? yield* diskOf(store.place) : undefined
  const findings = [
    yield* stateFinding,
    ...(yield* transcriptionFindings(configuration)),
    ...(isBroken ? [bad(`the store cannot be used${why}`, help)] : []),
    ...(isRead ? found.success.findings : []),
    ...(disk?._tag === "Some" ? [disk.value] : [])
  ]
  const isServed = isRead && found.success.isServed
  return { findings, channels: yield* checkChannels(channels(configuration, isServed)) }
})

/** `reins serve`: one life of the host after another, until a signal ends it. */
import { Effect, Formatter, Layer, Logger, Option, References, Result, type Scope } from "effect"
import { tablesOfChannels } from "../../api/config/channels.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { readConfig } from "../configured.ts"
import { readWithDatabase, withDatabase } from "../database.ts"
import { badUsage, Ended } from "../exit.ts"
import { inFlags } from "../flagNames.ts"
import { printNow } from "../output.ts"
import { readyChannels } from "./channels.ts"
import { clusterPlan } from "./clusterPlan.ts"
import { makeControls } from "./control.ts"
import { type ServeFlags, servePlan } from "./plan.ts"
import { live } from "./serving.ts"
import { readyWebhooks } from "./webhooks.ts"

const textOf = (part: unknown) =>
  typeof part === "string" ? part : part instanceof Error ? part.message : Formatter.format(part)

export interface LogLine {
  readonly at: Date
  readonly level: string
  readonly parts: ReadonlyArray<unknown>
}

/** A line of the log on stderr: for people at a terminal, else a JSON object. Secrets, such as the key of the page, are `…`. */
export const logLine = ({ at, level, parts }: LogLine, isTerminal: boolean, secrets: ReadonlyArray<string>): string => {
  const whole = parts.map(textOf).join(" ")
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, "…"), whole)
  if (!isTerminal) return JSON.stringify({ time: at.toISOString(), level, message })
  const time = at.toTimeString().slice(0, 8)
  return level === "info" ? `${time} ${message}` : `${time} ${level}: ${message}`
}

const log = (line: LogLine, secrets: ReadonlyArray<string>): void =>
  printNow("stderr", `${logLine(line, process.stderr.isTTY === true, secrets)}\n`)

export const serveLogging = (secrets: () => ReadonlyArray<string>) => {
  const logger = Logger.make<unknown, void>(({ date, logLevel, message }) => {
    const parts = Array.isArray(message) ? message : [message]
    log({ at: date, level: logLevel.toLowerCase(), parts }, secrets())
  })
  return Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Info"))
}

const mostFrames = 10
/** Such as `    at send (file:///opt/reins/dist/a.js:1:2)`. */
const frame = /^ {4}at (?:[\w.#<>[\] ]{1,200} \()?(?:file:|node:|\/)[^\n()]{1,300}:\d+:\d+\)?$/
const plain = (text: unknown, form: RegExp) => (typeof text === "string" && form.test(text) ? text : undefined)

/** Skips the message and the name before it, which could have lines of that form. */
const framesOf = ({ stack, message }: Error): ReadonlyArray<string> => {
  const text = String(stack)
  const at = message === "" ? 0 : text.lastIndexOf(message)
  if (at < 0) return []
  return text
    .slice(at + message.length)
    .split("\n")
    .filter((line) => frame.test(line))
    .slice(0, mostFrames)
}

/**
 * The log entry of an uncaught error, which ends the host: its place, not its message. Messages and fields can have a token
 * (grammY's have the requested address) or texts of people.
 */
export const crashText = (thrown: unknown): string => {
  const known = thrown instanceof Error ? thrown : undefined
  const name = plain(known?.constructor.name, /^[A-Za-z]\w{0,40}$/) ?? "something"
  const code = plain(known === undefined ? undefined : Object(known).code, /^[A-Z][A-Z_]{1,30}$/)
  const what = code === undefined ? name : `${name}, ${code}`
  const ends = `Internal error, which ends the host (${what}); what it says is not shown, since that can be secret`
  return [ends, ...(known === undefined ? [] : framesOf(known))].join("\n")
}

/** Reports uncaught errors until the scope closes. As in Node, the exit code is 1; on Linux the reaper ends what was started. */
export const reportCrashes = (secrets: () => ReadonlyArray<string>): Effect.Effect<void, never, Scope.Scope> => {
  const report = (thrown: unknown) => {
    log({ at: new Date(), level: "fatal", parts: [crashText(thrown)] }, secrets())
    process.exit(1)
  }
  return Effect.acquireRelease(
    Effect.sync(() => void process.on("uncaughtException", report)),
    () => Effect.sync(() => void process.off("uncaughtException", report))
  )
}

const refused = (problem: string) =>
  Effect.andThen(Effect.logError(harmless(problem)), Effect.fail(new Ended({ exitCode: badUsage })))

const ownCli = Effect.fn(...untraced("Perform.ownCli"))(function* ({ agentModule }: ServeFlags) {
  if (Option.isNone(agentModule)) return undefined
  const { loadCli } = yield* Effect.promise(() => import("../agentModule.ts"))
  return yield* Effect.mapError(loadCli(agentModule.value), ({ message }) => inFlags(message))
})

const planned = Effect.fn(...untraced("Perform.planned"))(function* (flags: ServeFlags) {
  const configuration = yield* readWithDatabase(flags)
  const cluster = yield* Effect.fromResult(clusterPlan(flags))
  const plan = { ...(yield* Effect.fromResult(servePlan(flags, configuration, process.cwd()))), cluster }
  const channels = yield* readyChannels(configuration)
  const webhooks = yield* readyWebhooks(configuration)
  const own = yield* ownCli(flags)
  return { configuration, plan, channels, webhooks, own }
})

const lives = Effect.fn(...untraced("Perform.lives"))(function* (flags: ServeFlags, keep: (secret: string) => void) {
  const controls = yield* makeControls
  let { configuration, plan, channels, webhooks, own } = yield* Effect.catch(planned(flags), refused)
  const { ignored } = configuration
  if (ignored !== undefined)
    yield* Effect.logWarning(
      `${harmless(ignored)} is not read: files of a working directory can be anybody's. Yours: reins config path`
    )
  if (flags.pair && channels.length === 0)
    yield* Effect.logWarning(
      `--pair is for channels whose people have ids of their own, such as ${tablesOfChannels} of reins.toml: the page needs no code`
    )
  const readAgain = readConfig(flags.config).pipe(
    Effect.map((read) => Result.getOrElse(withDatabase(read, flags.database), () => read)),
    Effect.catch(({ message }) =>
      Effect.as(
        Effect.logError(`The configuration is not valid, and nothing has changed: ${harmless(message)}`),
        undefined
      )
    )
  )
  while (true) {
    for (const secret of [...channels, webhooks].flatMap(({ secrets }) => secrets)) keep(secret)
    const end = yield* Effect.catchTag(
      live({ plan, configuration, controls, readAgain, pair: flags.pair, keep, channels, webhooks, own }),
      "Problem",
      ({ message }) => Effect.andThen(Effect.logError(harmless(message)), Effect.fail(new Ended({ exitCode: 1 })))
    )
    if (end === "cut") return yield* new Ended({ exitCode: 1 })
    if (end === "drained") return yield* Effect.logInfo("Ended: nothing is left running")
    yield* Effect.logInfo("Starts anew")
    const next = yield* Effect.result(planned(flags))
    if (Result.isFailure(next)) yield* Effect.logError(`The configuration is not valid: ${harmless(next.failure)}`)
    else ({ configuration, plan, channels, webhooks, own } = next.success)
  }
})

export const performServe = (flags: ServeFlags) => {
  const secrets = new Set<string>()
  const list = () => [...secrets]
  return Effect.andThen(
    reportCrashes(list),
    lives(flags, (secret) => void secrets.add(secret))
  ).pipe(Effect.scoped, Effect.provide(serveLogging(list)))
}

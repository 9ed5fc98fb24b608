/** `reins serve` at work: one life of the host after the other, until a signal ends it. */
import { Effect, Redacted, Result } from "effect"
import { readBot } from "../../api/config/telegram.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { readConfig } from "../configured.ts"
import { withDatabase } from "../database.ts"
import { badUsage, Ended } from "../exit.ts"
import { clusterPlan } from "./clusterPlan.ts"
import { makeControls } from "./control.ts"
import { reportCrashes } from "./crash.ts"
import { serveLogging } from "./logger.ts"
import { type ServeFlags, servePlan } from "./plan.ts"
import { live } from "./serving.ts"

const refused = (problem: string) =>
  Effect.andThen(Effect.logError(harmless(problem)), Effect.fail(new Ended({ exitCode: badUsage })))

/** The configuration, and what the flags make of it; fails with a sentence. */
const planned = Effect.fnUntraced(function* (flags: ServeFlags) {
  const configured = yield* Effect.mapError(readConfig(flags.config), ({ message }) => message)
  const configuration = yield* Effect.fromResult(withDatabase(configured, flags.database))
  const cluster = yield* Effect.fromResult(clusterPlan(flags))
  const plan = { ...(yield* Effect.fromResult(servePlan(flags, configuration, process.cwd()))), cluster }
  const bot = yield* readBot(configuration)
  return { configuration, plan, bot }
})

const lives = Effect.fnUntraced(function* (flags: ServeFlags, keep: (secret: string) => void) {
  const controls = yield* makeControls
  let { configuration, plan, bot } = yield* Effect.catch(planned(flags), refused)
  const { ignored } = configuration
  if (ignored !== undefined)
    yield* Effect.logWarning(
      `${harmless(ignored)} is not read: files of a working directory can be anybody's. Yours: reins config path`
    )
  if (flags.pair && bot === undefined)
    yield* Effect.logWarning(
      "--pair is for channels whose people have ids of their own, such as [telegram] of reins.toml: the page needs no code"
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
    if (bot !== undefined) keep(Redacted.value(bot.token))
    const end = yield* Effect.catchTag(
      live({ plan, configuration, controls, readAgain, pair: flags.pair, keep, bot }),
      "Problem",
      ({ message }) => Effect.andThen(Effect.logError(harmless(message)), Effect.fail(new Ended({ exitCode: 1 })))
    )
    if (end === "cut") return yield* new Ended({ exitCode: 1 })
    if (end === "drained") return yield* Effect.logInfo("Ended: nothing is left running")
    yield* Effect.logInfo("Starts anew")
    const next = yield* Effect.result(planned(flags))
    if (Result.isFailure(next)) yield* Effect.logError(`The configuration is not valid: ${harmless(next.failure)}`)
    else ({ configuration, plan, bot } = next.success)
  }
})

export const performServe = (flags: ServeFlags) => {
  const secrets = new Set<string>()
  const kept = () => [...secrets]
  return Effect.andThen(
    reportCrashes(kept),
    lives(flags, (secret) => void secrets.add(secret))
  ).pipe(Effect.scoped, Effect.provide(serveLogging(kept)))
}

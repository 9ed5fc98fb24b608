/**
 * Notifies systemd, for services of `Type=notify`. Node has no datagram sockets of that kind: the program `systemd-notify`
 * sends each notification, so the unit needs `NotifyAccess=all`.
 */
import { delimiter } from "node:path"
import { Effect, Schedule, type Scope } from "effect"
import { findCommand } from "../../system/process/findCommand.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import type { Platform } from "../../system/process/Platform.ts"
import { ask } from "../../system/process/probe.ts"

/** Variables of systemd; hidden from agents. */
export const notifyVariables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] as const

export interface Notify {
  /** `READY=1`, `STOPPING=1`, `STATUS=…`. Never fails. */
  readonly say: (word: string) => Effect.Effect<void>
  /** Shows that the event loop runs, twice per watchdog interval, until the scope closes. */
  readonly keepAlive: Effect.Effect<void, never, Scope.Scope>
}

const silent: Notify = { say: () => Effect.void, keepAlive: Effect.void }

/** In ms; undefined if systemd does not watch. */
export const watchdogMs = (usec: string | undefined): number | undefined => {
  const ms = usec === undefined || !/^\d{1,15}$/.test(usec) ? 0 : Number(usec) / 1000
  return ms >= 1 ? ms : undefined
}

export const makeNotify: Effect.Effect<Notify, never, Platform> = Effect.gen(function* () {
  const host = yield* HostEnvironment
  const { NOTIFY_SOCKET: socket, PATH = "", WATCHDOG_USEC } = host
  if (socket === undefined || socket === "") return silent
  const path = yield* findCommand("systemd-notify", PATH.split(delimiter))
  if (path === undefined) {
    yield* Effect.logWarning(
      "systemd waits for a word, and the program systemd-notify is not on PATH: use Type=exec, or install it"
    )
    return silent
  }
  const context = yield* Effect.context<Platform>()
  let isTold = false
  const say = (word: string) =>
    Effect.provideContext(
      ask({ path, args: ["--", word], timeout: "5 seconds", env: { NOTIFY_SOCKET: socket, PATH } }),
      context
    ).pipe(
      Effect.flatMap((answer) => {
        const isSaid = answer._tag === "Answered" && answer.exitCode === 0
        if (isSaid || isTold) return Effect.void
        isTold = true
        return Effect.logWarning("systemd was not told: the unit needs NotifyAccess=all")
      })
    )
  const every = watchdogMs(WATCHDOG_USEC)
  const alive = Effect.repeat(say("WATCHDOG=1"), Schedule.spaced(`${(every ?? 0) / 2} millis`))
  return { say, keepAlive: every === undefined ? Effect.void : Effect.asVoid(Effect.forkScoped(alive)) }
})

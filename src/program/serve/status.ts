/** `reins serve --status`: the activity of the hosts of this user's store. */
import { Clock, Console, Context, Effect, Layer, Stdio } from "effect"
import { storeOptions } from "../../api/config/secrets.ts"
import { examineStore } from "../../api/doctor/diagnose.ts"
import type { Home } from "../../cluster/homes.ts"
import { formatDuration, plural } from "../../contract/text/amounts.ts"
import { harmless, shortLine } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { Store } from "../../conversations/store/Store.ts"
import { readWithDatabase, type StoreFlags } from "../database.ts"
import { badUsage, Ended, failWith } from "../exit.ts"
import { localTime } from "../format.ts"
import { configuredStore } from "../store.ts"
import { openKey } from "./key.ts"
import { type AccountStatus, readStatus, type ServeStatus } from "./readStatus.ts"

const stateOf = ({ isUp, state }: Home) => {
  if (state === "removed" || state === "stopped") return state
  if (!isUp) return "down"
  return state === "leaving" ? "ends" : "runs"
}

const lineOf = (home: Home, width: number) => {
  const { name, host, waiting, running, conversations, address = "no address", version, clis } = home
  const state = stateOf(home)
  const work = `${running} at work, ${waiting} waiting`
  const late = state !== "runs" && waiting + running > 0 ? ` (${waiting + running} until it is back)` : ""
  const where = `${harmless(host)} ${harmless(address)}, ${harmless(version)}, ${harmless(clis.join(" "))}`
  return `home      ${harmless(name).padEnd(width)}  ${state.padEnd(7)}  ${plural(conversations, "conversation")}, ${work}${late}  (${where})`
}

/** Leaves out removed homes, unless turns wait for them. */
export const homeLines = (homes: ReadonlyArray<Home>): ReadonlyArray<string> => {
  const visible = homes.filter(({ state, waiting, running }) => state !== "removed" || waiting + running > 0)
  const width = Math.max(0, ...visible.map(({ name }) => name.length))
  return visible.map((home) => lineOf(home, width))
}

/** The lock of each account, by which only one machine serves it. */
export const lockLines = (accounts: ReadonlyArray<AccountStatus>): ReadonlyArray<string> => {
  const named = accounts.map((account) => ({ ...account, name: harmless(`${account.channel} (${account.accountId})`) }))
  const width = Math.max(0, ...named.map(({ name }) => name.length))
  return named.map(({ name, isTaken, host }) => {
    const holder = isTaken ? `held on ${harmless(host)}` : `free, held last on ${harmless(host)}`
    return `lock      ${name.padEnd(width)}  ${holder}`
  })
}

const line = (label: string, text: string) => `${label.padEnd(9)} ${text}`

/** @param key For the address of the page, at its owner's own terminal. */
export const statusLines = (
  { accounts, running, waiting, unsent, next }: ServeStatus,
  now: number,
  key: string | undefined
): ReadonlyArray<string> => {
  const served = accounts.filter(({ isServed }) => isServed)
  const mark = served.map((account) => account.mark).find((each) => each !== undefined)
  const since = mark === undefined ? "" : ` for ${formatDuration(Math.max(0, now - mark.startedAt))}, pid ${mark.pid}`
  const { failed, held, unknown } = unsent
  return [
    line("serve", `runs${since}`),
    ...(mark === undefined ? [] : [line("page", `${harmless(mark.address)}${key === undefined ? "" : `#key=${key}`}`)]),
    ...(mark === undefined ? [] : [line("directory", harmless(mark.directory))]),
    line(
      "channels",
      served
        .map(({ channel, accountId }) => harmless(channel === accountId ? channel : `${channel} (${accountId})`))
        .join(", ")
    ),
    line("at work", plural(running, "conversation")),
    line("waiting", plural(waiting, "conversation")),
    line("not sent", `${failed} failed, ${held} held until the person writes, ${unknown} not known`),
    ...next.map(({ at, prompt }) => line("next", `${localTime(at)}  ${shortLine(prompt, 60)}`))
  ]
}

const none = Effect.andThen(Console.log("No reins serve runs on this store."), Effect.fail(new Ended({ exitCode: 1 })))

const failed = ({ message }: { readonly message: string }) => failWith(message, 1)

export const showStatus = Effect.fn(...untraced("Status.showStatus"))(function* (flags: StoreFlags) {
  const configuration = yield* Effect.catch(readWithDatabase(flags), (problem) => failWith(problem, badUsage))
  const options = yield* Effect.catch(storeOptions(configuration), ({ message }) => failWith(message, badUsage))
  const place = "postgres" in options ? { postgres: options.postgres } : { directory: options.directory }
  // Does not create a missing store.
  if ((yield* examineStore(place)).status === "absent") return yield* none
  const store = Context.get(yield* Effect.catch(Layer.build(configuredStore(configuration)), failed), Store)
  const now = yield* Clock.currentTimeMillis
  const status = yield* Effect.catch(readStatus(store, now), failed)
  const isServed = status.accounts.some((account) => account.isServed)
  if (!isServed && status.homes.length === 0) return yield* none
  const isPerson = yield* (yield* Stdio.Stdio).stdoutIsTerminal
  const key = isPerson ? yield* openKey : undefined
  const lines = [...(isServed ? statusLines(status, now, key) : []), ...homeLines(status.homes)]
  if (status.homes.length > 0) lines.push(...lockLines(status.accounts))
  for (const line of lines) yield* Console.log(line)
}, Effect.scoped)

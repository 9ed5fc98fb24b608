/** The homes of a cluster, and which machine has which account, as lines for people; pure. */
import type { Home } from "../../cluster/homes.ts"
import { plural } from "../../contract/text/amounts.ts"
import { harmless } from "../../contract/text/harmless.ts"
import type { AccountStatus } from "./readStatus.ts"

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

/** Those that were removed are left out, unless something waits for them. */
export const homeLines = (homes: ReadonlyArray<Home>): ReadonlyArray<string> => {
  const shown = homes.filter(({ state, waiting, running }) => state !== "removed" || waiting + running > 0)
  const width = Math.max(0, ...shown.map(({ name }) => name.length))
  return shown.map((home) => lineOf(home, width))
}

/** Accounts are locked, so that one machine serves each. */
export const lockLines = (accounts: ReadonlyArray<AccountStatus>): ReadonlyArray<string> => {
  const named = accounts.map((account) => ({ ...account, name: harmless(`${account.channel} (${account.accountId})`) }))
  const width = Math.max(0, ...named.map(({ name }) => name.length))
  return named.map(({ name, isTaken, host }) => {
    const holder = isTaken ? `held on ${harmless(host)}` : `free, held last on ${harmless(host)}`
    return `lock      ${name.padEnd(width)}  ${holder}`
  })
}

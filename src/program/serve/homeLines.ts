/** The homes of a cluster, as lines for people; pure. */
import type { Home } from "../../cluster/homes.ts"
import { plural } from "../../text/amounts.ts"
import { harmless } from "../../text/harmless.ts"

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

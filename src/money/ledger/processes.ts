/** Session, model and payer of the running processes of an agent, from their events; a turn shares its session's. */
import type { Observer } from "../../contract/Observer.ts"
import type { Start } from "../../contract/Start.ts"
import type { UsageBilling } from "../../contract/Usage.ts"
import { noTurns, type SessionSums } from "./rest.ts"

export interface Known {
  sessionId: string | undefined
  model: string | undefined
  billing: UsageBilling
  /** Sums of its caller's turns so far. */
  readonly turns: SessionSums
}

/** Returns undefined if the CLI does not say. */
export type PaysByApiKey = (cli: string, authSource: string) => boolean | undefined

export const processOf = (start: Start) => (start.type === "turn" ? start.session : start)

export const makeProcesses = (paysByApiKey: PaysByApiKey) => {
  const processes = new Map<string, Known>()

  const billingOf = (cli: string, authSource: string): UsageBilling => {
    const isByKey = paysByApiKey(cli, authSource)
    return isByKey === undefined ? "unknown" : isByKey ? "api" : "subscription"
  }

  const knownOf = (start: Start): Known => {
    const { id } = processOf(start)
    const known = processes.get(id) ?? { sessionId: undefined, model: undefined, billing: "unknown", turns: noTurns() }
    processes.set(id, known)
    return known
  }

  const observer: Observer = {
    name: "ledger",
    begin: (start) => {
      if (start.type === "turn") return undefined
      const known = knownOf(start)
      return {
        events: ({ events }) => {
          for (const event of events) {
            if (event.type !== "session" || event.parentToolId !== undefined) continue
            known.model = event.model ?? known.model
            if (event.authSource !== undefined) known.billing = billingOf(start.cli, event.authSource)
          }
        },
        end: () => void processes.delete(start.id)
      }
    }
  }
  return { observer, knownOf, forget: (id: string) => void processes.delete(id) }
}

/** Any agent of the Agent Client Protocol as a value: it has live sessions only, and a run is made of one. */
import { Result } from "effect"
import type { Cli } from "../Cli.ts"
import { unread } from "../Decoder.ts"
import { plan, shared } from "./command.ts"
import { liveOf } from "./live.ts"

export const acp = (id: string, command: string): Cli => ({
  id,
  command,
  testedVersion: "1",
  install: "as its makers say",
  signIn: "as its makers say",
  stopSignal: "SIGTERM",
  // The agent's own patience is unknown.
  idle: "15 minutes",
  sessionMarkers: [],
  apiKeys: [],
  paysByApiKey: () => false,
  supports: new Set(shared),
  plan: (params) => Result.map(plan(params), (planned) => ({ ...planned, stdin: "" })),
  // A run is a session: nothing reads these.
  decoder: () => unread,
  live: liveOf(id),
  isLiveOnly: true
})

/** Any agent of the Agent Client Protocol as a value: it has live sessions only, and a run is made of one. */
import { Result } from "effect"
import { attachmentKinds } from "../../contract/attachments.ts"
import type { Cli } from "../Cli.ts"
import { unread } from "../Decoder.ts"
import { inRuns } from "../supported.ts"
import { plan } from "./command.ts"
import { liveOf } from "./live.ts"
import { dialogue } from "./models.ts"

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
  supports: inRuns("acp"),
  // Those that an agent can offer: which of them it takes is in its answer to `initialize`.
  attachments: new Set(attachmentKinds),
  plan: (params) => Result.map(plan(params), (planned) => ({ ...planned, stdin: "" })),
  // A run is a session: nothing reads these.
  decoder: () => unread,
  live: liveOf(id),
  models: { plan: () => plan({}), dialogue },
  isLiveOnly: true
})

/** Any agent of the Agent Client Protocol as a value: it has live sessions only, and a run is made of one. */
import { Result } from "effect"
import { attachmentKinds } from "../../contract/Attachment.ts"
import type { Cli } from "../Cli.ts"
import { unread } from "../Decoder.ts"
import type { Live } from "../Live.ts"
import { inRuns, inSessions } from "../supported.ts"
import { plan } from "./command.ts"
import { acpDialogue } from "./live/dialogue.ts"
import { genericFlavor } from "./live/generic.ts"
import { dialogue } from "./models.ts"

/** Live sessions of any agent of the Agent Client Protocol, version 1, with the flavor for an unknown one. */
const liveOf = (id: string): Live => ({
  supports: inSessions("acp"),
  plan,
  dialogue: acpDialogue(genericFlavor(id)),
  hostTools: "server",
  // An unknown agent: every known form.
  hostToolPrefixes: ["mcp__host__", "mcp_host_", "host_"],
  leavesAtEndOfInput: true
})

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
  // Kinds that an agent can offer: its answer to `initialize` lists those that it takes.
  attachments: new Set(attachmentKinds),
  plan: (params) => Result.map(plan(params), (planned) => ({ ...planned, stdin: "" })),
  // A run is a session: nothing reads these.
  decoder: () => unread,
  live: liveOf(id),
  models: { plan: () => plan({}), dialogue },
  isLiveOnly: true
})

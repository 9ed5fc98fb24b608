/** What a person asks of the bridge itself. Without a value, a command shows what there is to choose. */
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"

export const planModes = ["off", "auto", "on"] as const
export type PlanMode = (typeof planModes)[number]

export const exportForms = ["md", "json"] as const

export type Command =
  /** `replyTo`: the message to which it replies, such as a turn that waits. */
  | { readonly _tag: "Stop"; readonly replyTo?: string }
  /** Stops, drops what waits, and begins a new session. */
  | { readonly _tag: "New" }
  | { readonly _tag: "Agent"; readonly agent?: string }
  | { readonly _tag: "Model"; readonly model?: string }
  | { readonly _tag: "Mode"; readonly mode?: PermissionMode }
  | { readonly _tag: "Effort"; readonly effort?: string }
  | { readonly _tag: "Directory"; readonly directory?: string }
  | { readonly _tag: "PlanMode"; readonly planMode?: PlanMode }
  /** One message to another agent than the chat's. */
  | { readonly _tag: "Once"; readonly agent: string; readonly text: string }
  | { readonly _tag: "Status" }
  | { readonly _tag: "Usage" }
  | { readonly _tag: "Sessions" }
  | { readonly _tag: "Resume"; readonly session: string }
  | { readonly _tag: "Export"; readonly form: (typeof exportForms)[number] }
  /** The path is a stranger's text: to be looked for below the directory alone. */
  | { readonly _tag: "Files"; readonly path: string }
  | { readonly _tag: "Help" }
  | { readonly _tag: "WhoAmI" }
  | { readonly _tag: "Restart" }
  | { readonly _tag: "Pause" }

export type CommandTag = Command["_tag"]

/** The events of scripted runs, as plain data. Types only. */
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"
import type { FailureReason } from "../contract/FailureReason.ts"
import type { ReasonParts } from "../contract/reason.ts"

/** Fields that most reasons derive from others. */
interface OwnFields {
  readonly AgentFailed: "code" | "category"
  readonly Exited: "category"
  readonly Refused: "retryable"
}

type DataOf<Reason extends FailureReason> = {
  [Tag in Reason["_tag"]]: Omit<
    Extract<Reason, { readonly _tag: Tag }>,
    Exclude<keyof ReasonParts<Tag>, "_tag" | (Tag extends keyof OwnFields ? OwnFields[Tag] : never)>
  >
}[Reason["_tag"]]

/** A reason as data, its fields and its tag: `{ _tag: "Exited", exitCode: 3, category: "crash", stderr: "" }`. */
export type ScriptedFailure = DataOf<FailureReason>

/** An event, or the failure with which the run ends. */
export type Scripted = AgentEvent | ScriptedFailure

type Script = Iterable<Scripted> | AsyncIterable<Scripted>

/** The events of every run, or a function that makes them of its params. What they mean: `testAgent`. */
export type ScriptedEvents = Script | ((params: AgentExecuteParams) => Script)

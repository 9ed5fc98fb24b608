/**
 * The types that are written by hand are those of the Schemas, member by member: with `readonly`, `?`, `| undefined` and
 * every literal. The compiler is the test; the name in a mistake says which type differs.
 */
import type * as Errors from "../../../src/contract/AgentError.ts"
import type * as Event from "../../../src/contract/AgentEvent.ts"
import type * as TypesOfEvents from "../../../src/contract/AgentEvent.ts"
import type * as Params from "../../../src/contract/AgentExecuteParams.ts"
import type * as TypesOfParams from "../../../src/contract/AgentExecuteParams.ts"
import type * as Open from "../../../src/contract/AgentOpenParams.ts"
import type * as TypesOfOpenParams from "../../../src/contract/AgentOpenParams.ts"
import type * as Options from "../../../src/contract/AgentOptions.ts"
import type * as TypesOfOptions from "../../../src/contract/AgentOptions.ts"
import type * as Result from "../../../src/contract/AgentRunResult.ts"
import type * as TypesOfResults from "../../../src/contract/AgentRunResult.ts"
import type * as Several from "../../../src/contract/AgentsError.ts"
import type * as TypesOfCategories from "../../../src/contract/ErrorCategory.ts"
import type { ErrorCategory } from "../../../src/contract/ErrorCategory.ts"
import type { RunReason, runReason } from "../../../src/contract/FailureReason.ts"
import type * as TypesOfTools from "../../../src/contract/HostTool.ts"
import type { HookEvent } from "../../../src/contract/HostTool.ts"
import type * as Reasons from "../../../src/contract/Reasons.ts"
import type * as Session from "../../../src/contract/SessionEvent.ts"
import type * as TypesOfSessions from "../../../src/contract/SessionEvent.ts"
import type * as Stores from "../../../src/contract/StoreError.ts"
import type * as AgentError from "../../../src/contract/types/AgentError.ts"
import type * as TypesOfSeveral from "../../../src/contract/types/AgentsError.ts"
import type * as TypesOfStores from "../../../src/contract/types/StoreError.ts"
import type { ScriptedFailure } from "../../../src/testing/ScriptedEvents.ts"
import { type Flat, proof, type Same } from "./same.ts"

/** What an application sees of an error is what its class has, beside what Effect adds to it. */
type Facts<A> = Flat<Omit<A, keyof Error | keyof Errors.Aborted>> &
  Pick<A, keyof A & ("code" | "category" | "retryable")>

type ByType<E extends { readonly type: string }> = { readonly [T in E["type"]]: Flat<Extract<E, { readonly type: T }>> }
type ByTag<E extends { readonly _tag: string }> = {
  readonly [T in E["_tag"]]: Flat<Facts<Extract<E, { readonly _tag: T }>>>
}

proof<Same<ByType<typeof Event.AgentEvent.Type>, ByType<TypesOfEvents.AgentEvent>>>()
proof<Same<typeof Event.NoticeKind.Type, TypesOfEvents.NoticeKind>>()
proof<Same<typeof Session.ToolKind.Type, TypesOfSessions.ToolKind>>()
proof<Same<typeof Session.DecidedBy.Type, TypesOfSessions.DecidedBy>>()
proof<Same<Flat<typeof Session.FileEdit.Type>, Flat<TypesOfSessions.FileEdit>>>()
proof<Same<Flat<typeof Session.PermissionScope.Type>, Flat<TypesOfSessions.PermissionScope>>>()
proof<Same<Flat<typeof Session.PlanEntry.Type>, Flat<TypesOfSessions.PlanEntry>>>()
proof<Same<typeof Session.PlanStatus.Type, TypesOfSessions.PlanStatus>>()
proof<Same<Flat<typeof Session.Question.Type>, Flat<TypesOfSessions.Question>>>()
proof<Same<Flat<typeof Session.Answers.Type>, Flat<TypesOfSessions.Answers>>>()

proof<Same<Flat<typeof Result.AgentRunResult.Type>, Flat<TypesOfResults.AgentRunResult>>>()
proof<Same<Flat<typeof Result.RunFacts.Type>, Flat<TypesOfResults.RunFacts>>>()
proof<Same<Flat<typeof Result.ModelUsage.Type>, Flat<TypesOfResults.ModelUsage>>>()
proof<Same<typeof Result.RunOutcome.Type, TypesOfResults.RunOutcome>>()
proof<Same<typeof Result.ProcessExit.Type, TypesOfResults.ProcessExit>>()

/** A caller gives a schema of any kind; what is checked is its JSON Schema. */
type WithoutSchema<A> = Flat<Omit<A, "outputSchema">>
proof<Same<WithoutSchema<typeof Params.AgentExecuteParams.Type>, WithoutSchema<TypesOfParams.AgentExecuteParams>>>()
proof<Same<typeof Params.McpServer.Type, TypesOfParams.McpServer>>()
proof<Same<Flat<typeof Params.Timeouts.Type>, Flat<TypesOfParams.Timeouts>>>()
proof<Same<Flat<typeof Open.AgentOpenParams.Type>, Flat<TypesOfOpenParams.AgentOpenParams>>>()
proof<Same<Flat<typeof Open.QuestionOptions.Type>, Flat<TypesOfOpenParams.QuestionOptions>>>()
proof<Same<typeof HookEvent.Type, TypesOfTools.HookEvent>>()

proof<Same<Flat<typeof Options.AgentOptions.Type>, Flat<TypesOfOptions.AgentOptions>>>()
proof<Same<Flat<typeof Options.AgentDefaults.Type>, Flat<TypesOfOptions.AgentDefaults>>>()
proof<Same<Flat<typeof Options.EnvironmentOptions.Type>, Flat<TypesOfOptions.EnvironmentOptions>>>()
proof<Same<Flat<typeof Options.Limits.Type>, Flat<TypesOfOptions.Limits>>>()

proof<Same<typeof ErrorCategory.Type, TypesOfCategories.ErrorCategory>>()
proof<Same<typeof Errors.StartLimit.Type, Reasons.StartLimit>>()
proof<Same<typeof Errors.WatchState.Type, Reasons.WatchState>>()
proof<Same<typeof RunReason.Type, (typeof runReason)[keyof typeof runReason] | "completed">>()
proof<Same<ByTag<Errors.FailureReason>, ByTag<Reasons.FailureReason>>>()

/** A script has the data of a reason. */
type DataByTag<E extends { readonly _tag: string }> = {
  readonly [T in E["_tag"]]: Flat<Extract<E, { readonly _tag: T }>>
}
proof<Same<DataByTag<typeof Errors.FailureReason.Encoded>, DataByTag<ScriptedFailure>>>()

/** An error of an effect is one of a promise. */
type Fits<A extends B, B> = A extends B ? true : never
proof<Fits<Errors.FailureReason, Reasons.FailureReason>>()
proof<Fits<Errors.AgentError, AgentError.AgentError>>()
proof<Fits<Several.AgentsError, TypesOfSeveral.AgentsError>>()
type OwnReasons<R extends { readonly _tag: string }> = ByTag<Exclude<R, { readonly _tag: "InvalidParams" | "Aborted" }>>
proof<Same<OwnReasons<Several.AgentsError["reason"]>, OwnReasons<TypesOfSeveral.AgentsReason>>>()
proof<Fits<Stores.StoreError, TypesOfStores.StoreError>>()
proof<Same<ByTag<Stores.StoreReason>, ByTag<TypesOfStores.StoreReason>>>()

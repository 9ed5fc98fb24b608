/**
 * Types that follow from others equal what is written by hand elsewhere; the compiler is the test. That a type equals its
 * Schema is checked where both are declared, by `schemaOf` and `reason`.
 */
import type { FailureReason, RunReason, runReason } from "../../../src/contract/FailureReason.ts"
import type { ScriptedFailure } from "../../../src/testing/ScriptedEvents.ts"
import { type Flat, proof, type Same } from "./same.ts"

proof<Same<typeof RunReason.Type, (typeof runReason)[keyof typeof runReason] | "completed">>()

/** A script has the data of a reason. */
type DataByTag<E extends { readonly _tag: string }> = {
  readonly [T in E["_tag"]]: Flat<Extract<E, { readonly _tag: T }>>
}
proof<Same<DataByTag<typeof FailureReason.Encoded>, DataByTag<ScriptedFailure>>>()

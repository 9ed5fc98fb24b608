/** The CLIs that Reins knows, by their ids. */
import { Predicate } from "effect"
import type { CliId } from "../contract/CliSupport.ts"
import type { Cli } from "./Cli.ts"
import { claude } from "./claude/index.ts"
import { codex } from "./codex/index.ts"
import { contractProblem } from "./contract.ts"
import { gemini } from "./gemini/index.ts"
import { opencode } from "./opencode/index.ts"
import { pi } from "./pi/index.ts"

export const clis = { claude, gemini, codex, opencode, pi } as const satisfies Readonly<Record<CliId, Cli>>
export type { CliId } from "../contract/CliSupport.ts"

export const isCliId = (id: string): id is CliId => Object.hasOwn(clis, id)

/** A value for another version of the contract may have another form. */
const isOfOtherContract = (value: object) => "contract" in value && contractProblem(value) !== undefined

/** Whether it is the value of `Cli.make`, as far as can be told. Its contract is not checked. */
export const isCli = (value: unknown): value is Cli =>
  Predicate.hasProperty(value, "id") &&
  Predicate.isString(value.id) &&
  (isOfOtherContract(value) ||
    (Predicate.hasProperty(value, "plan") &&
      Predicate.isFunction(value.plan) &&
      Predicate.hasProperty(value, "decoder") &&
      Predicate.isFunction(value.decoder)))

/** Properties of any request, any rule and any answer. */
import { it as effectIt } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { expect } from "vitest"
import * as Approvals from "../../../src/agents/Approvals.ts"
import { anyRequest } from "./requests.ts"
import { approver } from "./rulings.ts"

const { allow, ask, deny } = Approvals

const Text = Schema.Union([Schema.Literals(["*", "git *", "src/**", "..", "[", "{a,b}", "\\", "/", ""]), Schema.String])
const AnyMatch = Schema.Struct({
  tools: Schema.optionalKey(Schema.Array(Text)),
  paths: Schema.optionalKey(Schema.Array(Text)),
  commands: Schema.optionalKey(Schema.Array(Text))
})
const anyMatch = Arbitrary.schema(AnyMatch)
const anyAnswer = Arbitrary.schema(
  Schema.Struct({ decision: Schema.Literals(["allow", "deny"]), remember: Schema.Union([Schema.Boolean, Text]) })
)

effectIt.prop(
  "a deny in front always wins",
  [anyRequest, anyRequest, anyMatch, anyAnswer],
  ([one, two, match, answer]) => {
    const rules = [ask(undefined, { match }), allow(match), ask(), Approvals.plan()]
    const strict = approver([
      deny({ tools: [one.toolName.replaceAll("*", "")] }),
      deny({ kinds: [one.kind] }),
      ...rules
    ])
    strict.conclude(two, answer)
    strict.conclude(one, { ...answer, decision: "allow" })
    expect(strict.consider(one)).toMatchObject({ by: "rule", decision: { decision: "deny" } })
  }
)

effectIt.prop(
  "whatever is asked and answered is ruled on",
  [anyRequest, anyRequest, anyMatch, anyAnswer],
  ([one, two, match, answer]) => {
    const rules = [deny(match), allow(match), Approvals.plan(undefined, { cooldown: true }), ask()]
    const lenient = approver(rules)
    for (const each of [one, two, one]) {
      expect(["Ask", "Decided"]).toContain(lenient.consider(each)._tag)
      expect(["allow", "deny"]).toContain(lenient.conclude(each, answer).decision.decision)
    }
  }
)

effectIt.prop(
  "what was answered for good is not asked again, if it says what it does",
  [anyRequest, anyAnswer],
  ([one, answer]) => {
    const lenient = approver([ask()])
    const { remembered } = lenient.conclude(one, { ...answer, remember: true })
    expect(remembered).toBe(one.scopes.length === 0 ? undefined : "exact")
    const second = lenient.consider({ ...one, requestId: "again", toolId: "again" })
    expect(second).toMatchObject(
      one.scopes.length === 0 ? { _tag: "Ask" } : { by: "memory", decision: { decision: answer.decision } }
    )
  }
)

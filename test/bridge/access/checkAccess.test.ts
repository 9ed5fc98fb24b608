/** Invalid access lists are refused, with the entry and its fix. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { AccessError } from "../../../src/bridge/access/AccessOptions.ts"
import { checkAccess } from "../../../src/bridge/access/checkAccess.ts"
import { account } from "../incomingUpdates.ts"

const refused = (options: unknown) => {
  // JavaScript callers may pass any value.
  const result = checkAccess(options as object, account)
  assert.isTrue(Result.isFailure(result), "it was taken")
  const error = Result.getOrThrow(Result.flip(result))
  assert.instanceOf(error, AccessError)
  return error
}

describe("a list", () => {
  it.each([
    ["a user name", { owners: ["1", "@ann"] }, "owners[1]", /user name.*change hands/],
    ["a name", { users: ["ann"] }, "users[0]", /not the id of a person on telegram/],
    ["a number", { admins: [12] }, "admins[0]", /the number 12/],
    ["a group's id", { owners: ["-100"] }, "owners[0]", /not the id of a person/],
    ["nothing", { owners: [""] }, "owners[0]", /not the id/],
    ["null", { approvers: [null] }, "approvers[0]", /not a string/],
    ["digits of another script", { owners: ["１２"] }, "owners[0]", /not the id/],
    ["a line break", { owners: ["1\n2"] }, "owners[0]", /not the id/],
    ["a person of a group", { groups: { "-1": { users: ["bob"] } } }, 'groups["-1"].users[0]', /not the id/],
    ["an approver of a group", { groups: { "-1": { approvers: ["@b"] } } }, 'groups["-1"].approvers[0]', /user name/],
    ["a group's name", { groups: { "@team": {} } }, 'groups["@team"]', /name/],
    ["an empty group id", { groups: { " ": {} } }, 'groups[" "]', /without an id/],
    ["a group with a control character", { groups: { "-1\u0000": {} } }, String.raw`groups["-1\u0000"]`, /control/],
    ["a list that is not an array", { owners: "1" }, "owners", /list/i],
    ["an unknown option", { owner: ["1"] }, "owner", /not a known field; did you mean "owners"/],
    ["an option of a group", { groups: { "-1": { owners: ["1"] } } }, "groups.-1.owners", /not a known field/]
  ])("with %s", (_name, options, option, problem) => {
    const error = refused(options)
    assert.strictEqual(error.option, option)
    assert.match(error.problem, problem)
    assert.isAbove(error.help.length, 10)
    assert.include(error.message, "telegram (bot)")
    assert.notMatch(error.message, /[\u0000\n\u202e]/)
  })

  it("with long or hostile entries gives a short, harmless message", () => {
    const error = refused({ owners: [`\u202e\u001b[31m${"x".repeat(100_000)}`] })
    assert.isBelow(error.message.length, 400)
    assert.notMatch(error.message, /[\u202e\u001b]/)
  })

  it("may have a group with the name of an inherited property", () => {
    const options = { owners: ["1"], groups: JSON.parse('{"__proto__": {}, "constructor": {}}') }
    const policy = Result.getOrThrow(checkAccess(options, account))
    assert.isFalse(policy.groups.has("toString"))
    assert.isTrue(policy.groups.has("constructor"))
  })
})

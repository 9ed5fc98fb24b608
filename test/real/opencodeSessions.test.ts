/** Features that only OpenCode's live sessions have. All share one home: the first start in a fresh one takes longer. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { Approvals, createAgent, type PlainAgent, type PlainOpenParams } from "../../src/promise.ts"
import { chatCompletions, type ModelServer } from "../../src/testing/ModelServer.ts"
import { makeSandbox, type Sandbox } from "../../src/testing/sandbox/sandbox.ts"
import { type Answer, call, fail, say, tool } from "../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../src/testing/servers/request.ts"
import { ofType } from "./rig/agent.ts"
import { only, pathOf } from "./rig/environment.ts"
import { expectNoneSurvives, hidingCommand } from "./rig/hiding.ts"
import { twice } from "./rig/hostTools.ts"
import { commandFor } from "./rig/layered.ts"
import { command, take } from "./rig/live.ts"

const program = commandFor("opencode")
let api: ModelServer
let sandbox: Sandbox
let agent: PlainAgent
/** State of the present test: the model's next answer, and its requests. */
let answers: Array<Answer> = []
let requested: Array<ModelRequest> = []

/** A second model beside the one that every sandbox has. */
const withTwoModels = (values: Sandbox["values"]) => {
  const config = JSON.parse(values["OPENCODE_CONFIG_CONTENT"] ?? "")
  const { models } = config.provider.fake
  models.m2 = models.m1
  return { ...values, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) }
}

beforeAll(async () => {
  const main = (request: ModelRequest) => {
    requested.push(request)
    return answers.shift() ?? fail(400)
  }
  api = await chatCompletions({ main })
  sandbox = await makeSandbox("opencode", api, { path: pathOf([program]) })
  agent = createAgent("opencode", { command: program, env: only(withTwoModels(sandbox.values)) })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await sandbox[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})
beforeEach(() => {
  requested = []
})

const open = (script: ReadonlyArray<Answer>, params: PlainOpenParams = {}) => {
  answers = [...script]
  return agent.open({ workingDirectory: sandbox.work, ...params })
}

const write = (path: string) => call(tool("write", { filePath: join(sandbox.work, path), content: "x\n" }))
const has = (path: string) => existsSync(join(sandbox.work, path))

describe("functions of the host", () => {
  it("are tools of the model", async () => {
    await using session = await open([call(tool("host_twice", { n: 21 })), say("done")], { tools: [twice] })
    const { events, result } = await take(session, "go")
    expect(ofType(events, "tool_use")).toMatchObject([{ toolName: "host_twice", kind: "mcp" }])
    expect(ofType(events, "tool_result")).toMatchObject([{ output: "42", isError: false }])
    expect(requested[1]?.toolResults).toMatchObject([{ text: "42" }])
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })
})

describe("changes", () => {
  it("of the model hold from the next turn on", async () => {
    await using session = await open([say("one"), say("two")])
    await take(session, "go")
    await session.setModel("fake/m2")
    const { result } = await take(session, "go on")
    expect(requested.map(({ model }) => model)).toEqual(["m1", "m2"])
    expect(result).toMatchObject({ outcome: "completed", text: "two" })
  })

  it("of the permission mode hold, and one that cannot be taken back is told", async () => {
    await using session = await open([write("planned"), say("one")], {
      approvals: [Approvals.ask(async () => ({ decision: "deny" }))]
    })
    await session.setPermissionMode("plan")
    const planned = await take(session, "go")
    expect(ofType(planned.events, "tool_result")).toMatchObject([{ isError: true }])
    await session.setPermissionMode("accept-edits")
    answers = [write("accepted"), say("two")]
    const accepted = await take(session, "go on")
    expect(ofType(accepted.events, "permission_request")).toEqual([])
    expect(accepted.result).toMatchObject({ outcome: "completed", text: "two" })
    expect([has("planned"), has("accepted")]).toEqual([false, true])
    await using bypass = await open([], { permissionMode: "bypass" })
    await expect(bypass.setPermissionMode("default")).rejects.toMatchObject({
      reason: { _tag: "AgentFailed", code: "change_refused" }
    })
  })
})

describe("denials", () => {
  it("show what would be written, keep it from being done, and the session goes on", async () => {
    const previews: Array<string | undefined> = []
    const onPermission = async ({ preview }: { preview?: string }) => {
      previews.push(preview)
      return { decision: "deny" as const, message: "Leave that." }
    }
    await using session = await open([write("denied"), say("left it")], { onPermission })
    const { events, result } = await take(session, "go")
    expect(previews[0]).toContain("x")
    expect(ofType(events, "permission_decision")).toMatchObject([{ decision: "deny", by: "handler" }])
    expect(ofType(events, "tool_result")).toMatchObject([{ isError: true }])
    expect(has("denied")).toBe(false)
    expect(result.outcome).toBe("completed")
    answers = [say("after")]
    expect((await take(session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
  })
})

describe("conversations", () => {
  it("are resumed with what was said, and nothing of it is told again", async () => {
    const first = await open([say("First.")])
    const { sessionId = "" } = (await take(first, "one")).result
    await first.close()
    await using second = await open([say("Second.")], { sessionId })
    const { result } = await take(second, "two")
    expect(result).toMatchObject({ outcome: "completed", text: "Second.", sessionId })
    expect(requested[1]?.prompts.join("|")).toMatch(/one.*two/s)
    expect(JSON.stringify(requested[1]?.body)).toContain("First.")
  })

  it("that are not there cannot be resumed", async () => {
    const opening = open([], { sessionId: "ses_0000000000000000000000000000" })
    await expect(opening).rejects.toMatchObject({ reason: { _tag: "AgentFailed", category: "session_not_found" } })
  })
})

describe("failures", () => {
  it("of the API end the turn, and not the session", async () => {
    await using session = await open([fail(400, { message: "no such thing" }), say("after")])
    const { events, result } = await take(session, "one")
    expect(ofType(events, "error")).toMatchObject([
      { code: "APIError", message: expect.stringContaining("no such thing") }
    ])
    expect(result.outcome).toBe("failed")
    expect((await take(session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
  })
})

describe("commands", () => {
  it("that hide in a session of their own do not survive the session", async () => {
    await using session = await open([call(command.opencode(hidingCommand))], { permissionMode: "bypass" })
    await expectNoneSurvives(session, sandbox)
  })
})

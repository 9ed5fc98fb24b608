/**
 * Recorded live sessions of OpenCode: its lines give the reviewed outputs, and the dialogue writes the recorded stdin.
 */
import { fileURLToPath } from "node:url"
import { assert, describe, expect, it } from "vitest"
import type { AcpFlavor } from "../../../../src/cli/acp/live/flavor.ts"
import { isAction } from "../../../../src/cli/Live.ts"
import { opencodeFlavor } from "../../../../src/cli/opencode/live/flavor.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import { recordingUrl } from "../../../kit/recordings.ts"
import { described, essence, type ReplayOptions, readRecording, replay } from "../../acp/live/replay.ts"

interface Scenario extends ReplayOptions {
  readonly name: string
  readonly params?: AgentOpenParams
  readonly flavor?: AcpFlavor
  /** How many of the recorded lines we write, too; the recorder also tried what a session never does. */
  readonly alike: number
}

// The recorded host left the effort at its default.
const effort = "low"
const tiny = {
  command: "/repo/node_modules/node/bin/node",
  args: ["/repo/fixtures/servers/mcpServer.mjs"],
  env: { SECRET: "s3" }
}
const sessionId = readRecording("live/load-resume").sent[1]?.params?.sessionId ?? "none"

const scenarios: ReadonlyArray<Scenario> = [
  { name: "prompt", alike: 5 },
  { name: "permission-kinds", params: { mcpServers: { tiny } }, alike: 22 },
  { name: "permission-reject", alike: 5 },
  { name: "permission-two", alike: 7 },
  { name: "cancel-asked", cancelAt: "Asked", alike: 6 },
  { name: "cancel-text", alike: 5 },
  { name: "cancel-tool", cancelAt: "tool_use", alike: 5 },
  { name: "error-401", alike: 6 },
  { name: "ask-delayed", params: { mcpServers: { tiny } }, alike: 7 },
  { name: "load-load", params: { sessionId }, flavor: { ...opencodeFlavor, resumes: "load" }, alike: 3 },
  { name: "load-fork", params: { sessionId, forkSession: true }, alike: 3 },
  { name: "load-resume", params: { sessionId }, alike: 3 },
  { name: "question", alike: 3 },
  { name: "subagent-allowed", alike: 3 },
  { name: "write-allowed", alike: 3 }
]

/** Beside the recording; reviewed by eye. */
const expectation = (name: string) => fileURLToPath(recordingUrl("opencode", `live/${name}/expected.txt`))

describe("recorded sessions of OpenCode", () => {
  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))("%s", async (name, scenario) => {
    const { params = {}, flavor = opencodeFlavor, alike } = scenario
    const recording = readRecording(`live/${name}`)
    const { outputs, written: content } = replay(flavor, recording, { effort, ...params }, scenario)
    assert.deepStrictEqual(content.slice(0, alike).map(essence), recording.sent.slice(0, alike).map(essence))
    const lines = outputs.filter((output) => !isAction(output) || output._tag !== "Write").map(described)
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(expectation(name))
  })
})

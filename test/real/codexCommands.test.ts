/** Rules about commands of the real Codex, however it quotes them: with both kinds of quotes, a word is several pieces. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { Approvals } from "../../src/promise.ts"
import { call, say, tool } from "../../src/testing/servers/Answer.ts"
import { ofType } from "./rig/agent.ts"
import { openLive, take } from "./rig/live.ts"

const run = (cmd: string) => call(tool("exec_command", { cmd }))

/** The rules' decisions on such commands, what was shown of them, and which files are left. */
const decided = async (commands: ReadonlyArray<string>, approvals: ReadonlyArray<Approvals.ApprovalRule>) => {
  await using live = await openLive("codex", [...commands.map(run), say("done")], { approvals })
  const victim = join(live.sandbox.work, "victim")
  writeFileSync(victim, "")
  const { events, result } = await take(live.session, "go")
  expect(result).toMatchObject({ outcome: "completed", text: "done" })
  expect(ofType(events, "permission_request").map(({ command }) => command)).toEqual(commands)
  const decisions = ofType(events, "permission_decision").map(({ decision, by }) => `${decision} by ${by}`)
  return { decisions, hasVictim: existsSync(victim) }
}

describe("rules about commands", () => {
  it.each([
    `true; : 'q' "$HOME"; rm 'victim' $none`,
    `: 'q' "$HOME"\nrm victim`,
    `: ^ \\! 'q'; rm victim "\`true\`"`,
    `echo "it's $(rm victim)"`,
    `rm victim`
  ])("that deny rm see it in %j", async (command) => {
    const rules = [Approvals.deny({ commands: ["rm", "rm *"] }), Approvals.allow()]
    expect(await decided([command], rules)).toEqual({ decisions: ["deny by rule"], hasVictim: true })
  })

  it("that allow echo fit what is one, in whatever quotes, and nothing more", async () => {
    const commands = [
      `echo "it's $HOME"`,
      `echo 'a' "\\$b" ^ !`,
      `echo "it's $HOME"; rm victim`,
      `echo 'a' "$(rm victim)"`
    ]
    const { decisions, hasVictim } = await decided(commands, [Approvals.allow({ commands: ["echo *"] })])
    expect(decisions).toEqual(["allow by rule", "allow by rule", "deny by rule", "deny by rule"])
    expect(hasVictim).toBe(true)
  })
})

/** Plain runs through both doors, so that what is opened once for a whole process is open before anything is counted. */
import { type CliId, clis } from "../../src/agents/Agents.ts"
import { recordingsOf } from "./recordings.ts"
import type { Program, RunPlan, Scenario } from "./scenario.ts"

const programOf = (cli: CliId): Program => {
  const plain = recordingsOf(cli).find(({ name }) => name.startsWith("01-plain"))
  return {
    recording: plain?.name ?? "",
    lines: plain?.lines.length ?? 0,
    half: false,
    forgets: false,
    silentMs: 0,
    pauseMs: 0,
    piece: 2 ** 20,
    odd: [],
    flood: null,
    stdin: "read",
    tools: [],
    signals: { are: "obeyed" },
    closesStdout: false,
    complains: false,
    end: { is: "exits", code: 0, afterMs: 0 }
  }
}

const runOf = (cli: CliId): RunPlan => ({
  program: programOf(cli),
  consumer: { takes: "all", pause: null },
  promptBytes: 10,
  systemPromptBytes: 10,
  mcpServers: clis[cli].supports.has("mcpServers") ? 1 : 0,
  resumes: false,
  records: true,
  budgetMs: 1_000,
  fault: null
})

export const warmUpOf = (cli: CliId, door: Scenario["door"]): Scenario => ({
  cli,
  door,
  killGraceMs: 100,
  limits: null,
  runs: [runOf(cli)],
  settings: clis[cli].settingsPath === undefined ? null : "plain",
  edit: null,
  close: null,
  fate: null
})

export const warmUps: ReadonlyArray<Scenario> = (["effect", "promise"] as const).flatMap((door) =>
  (["claude", "gemini", "codex", "opencode", "pi"] as const).map((cli) => warmUpOf(cli, door))
)

/** 200,000 Claude lines, decoded, validated, folded: Reins beside the hand-written loop and the official SDK. */
import { closing, opening, turns } from "../lines/claude.ts"
import { inRounds } from "../rounds.ts"
import { type Sample, sampleOf } from "../sample.ts"
import { difference, ratio, spreadOf } from "../statistics.ts"
import { spread, type Table, verdict } from "../table.ts"
import type { Workspace } from "../workspace.ts"

const bodyLines = 10_000
const body = turns(bodyLines / 100)

/** A run of so many lines: its middle part is one file, as often as it takes. */
export const claudeStub = (workspace: Workspace, lines: number) => {
  const bodies = Math.max(0, Math.ceil(lines / bodyLines) - 1)
  const middle = Array.from({ length: bodies }, () => body)
  return workspace.stubOf([opening(), ...middle, closing(lines - 1 - bodies * bodyLines)])
}

export const claudeHosts = {
  loop: "hand-written loop",
  reins: "Reins, `for await`",
  reinsEffect: "Reins, Effect `Stream`",
  claudeSdk: "`@anthropic-ai/claude-agent-sdk`"
}
export type ClaudeHost = keyof typeof claudeHosts
export const claudeHostNames = ["loop", "reins", "reinsEffect", "claudeSdk"] as const

export type ClaudeSamples = Partial<Record<ClaudeHost, ReadonlyArray<Sample>>>

export const race = (workspace: Workspace, hosts: ReadonlyArray<ClaudeHost>, lines: number, samples: number) => {
  const stub = claudeStub(workspace, lines)
  return inRounds(hosts, samples, (host) => sampleOf(workspace, host, stub, "claude"))
}

const cpu = (samples: ReadonlyArray<Sample> = []) => samples.map(({ cpuMs }) => cpuMs)
const wall = (samples: ReadonlyArray<Sample> = []) => samples.map(({ wallMs }) => wallMs)
const peak = (samples: ReadonlyArray<Sample> = []) => samples.map(({ peakMb }) => peakMb)

export const cpuTable = (samples: ClaudeSamples): Table => ({
  title: "CPU of 200,000 Claude lines against the hand-written loop",
  about: "User and system time of the host, from the end of its imports to the end of the run.",
  head: ["", "CPU in ms", "wall in ms", "CPU × loop"],
  rows: (["loop", "reins", "reinsEffect"] as const)
    .filter((host) => samples[host])
    .map((host) => [
      claudeHosts[host],
      spread(spreadOf(cpu(samples[host]))),
      spread(spreadOf(wall(samples[host]))),
      host === "loop" ? "1" : spread(ratio(cpu(samples[host]), cpu(samples.loop)))
    ]),
  verdicts: [verdict("`for await`", ratio(cpu(samples.reins), cpu(samples.loop)).median, 1.5, " ×")]
})

export const sdkTable = (samples: ClaudeSamples): Table => ({
  title: "The same against `@anthropic-ai/claude-agent-sdk`",
  about: "Its `query` with partial messages, read to its end.",
  head: ["", "CPU in ms", "wall in ms", "CPU of Reins × SDK"],
  rows: (["claudeSdk", "reins"] as const).map((host) => [
    claudeHosts[host],
    spread(spreadOf(cpu(samples[host]))),
    spread(spreadOf(wall(samples[host]))),
    host === "claudeSdk" ? "" : spread(ratio(cpu(samples[host]), cpu(samples.claudeSdk)))
  ]),
  verdicts: [verdict("`for await`", ratio(cpu(samples.reins), cpu(samples.claudeSdk)).median, 1, " ×", true)]
})

export const memoryTable = (samples: ClaudeSamples): Table => ({
  title: "Peak of resident memory in that run",
  about: "Of the host, in MB.",
  head: ["", "peak", "more than the loop"],
  rows: (["loop", "reins", "reinsEffect", "claudeSdk"] as const).map((host) => [
    claudeHosts[host],
    spread(spreadOf(peak(samples[host]))),
    host === "loop" ? "" : spread(difference(peak(samples[host]), peak(samples.loop)))
  ]),
  verdicts: [verdict("`for await`", difference(peak(samples.reins), peak(samples.loop)).median, 40, " MB")]
})

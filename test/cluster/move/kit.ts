/** Sessions of the CLIs, as small as they can be. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Packed } from "../../../src/cluster/move/packed.ts"
import { slugOf } from "../../../src/cluster/move/sessionFiles.ts"

export const claudeId = "230b865e-da72-46e1-904d-59bfcc02a999"
export const codexId = "01a21533-bc27-7af2-a240-8bea8138a615"
export const opencodeId = "ses_deacc39eaffe1y0o1xrYE2qJkL"

const lines = (...all: ReadonlyArray<object>) => `${all.map((one) => JSON.stringify(one)).join("\n")}\n`

export const claudeLines = (directory: string, ...prompts: ReadonlyArray<string>) =>
  lines(
    ...prompts.map((content) => ({
      type: "user",
      sessionId: claudeId,
      cwd: directory,
      timestamp: "2026-11-26T00:13:58.369Z",
      message: { role: "user", content }
    }))
  )

export const claudePacked = ({
  own = Buffer.from(claudeLines("/work", "hello"))
}: {
  readonly own?: Uint8Array
}): Packed => ({
  cli: "claude",
  sessionId: claudeId,
  directory: "/work",
  title: "hello",
  files: [
    { path: `projects/-work/${claudeId}.jsonl`, bytes: own },
    { path: `projects/-work/${claudeId}/tool-results/long.txt`, bytes: Buffer.from("a long result") }
  ]
})

export const write = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** A session of Claude Code in the home of a user. */
export const writeClaude = (home: string, directory: string, ...prompts: ReadonlyArray<string>) => {
  const folder = join(home, ".claude/projects", slugOf(directory))
  const file = join(folder, `${claudeId}.jsonl`)
  write(file, claudeLines(directory, ...prompts))
  write(join(folder, claudeId, "tool-results/long.txt"), "a long result")
  return file
}

export const rollout = (day: string, id: string) =>
  `sessions/2026/11/${day}/rollout-2026-11-${day}T00-14-01-${id}.jsonl`

export const codexLines = (
  id: string,
  directory: string,
  base?: { readonly thread_id: string; readonly end_byte_offset: number }
) =>
  lines({
    timestamp: "2026-11-26T00:14:01.794Z",
    type: "session_meta",
    payload: {
      id,
      cwd: directory,
      timestamp: "2026-11-26T00:14:01.772Z",
      ...(base === undefined ? {} : { history_base: base })
    }
  })

/** The program as a process of its own, and small stand-ins for a CLI that print given wire lines. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"

export const main = fileURLToPath(new URL("../../dist/program.js", import.meta.url))

const directory = mkdtempSync(join(tmpdir(), "reins-program-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

export const writeTemp = (name: string, content: string): string => {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

/** An executable script in plain JavaScript; `print` writes one wire line. */
export const standIn = (name: string, body: string): string => {
  const print = 'const print = (line) => process.stdout.write(JSON.stringify({ session_id: "s1", ...line }) + "\\n")\n'
  const path = writeTemp(`${name}.mjs`, `#!${process.execPath}\n${print}${body}\n`)
  chmodSync(path, 0o755)
  return path
}

/** Wire lines, as the code of a stand-in. */
export const wire = {
  init: `print({ type: "system", subtype: "init", model: "m", cwd: "/", tools: [] })`,
  text: (text: string) =>
    `print({ type: "assistant", message: { id: "m1", content: [{ type: "text", text: ${JSON.stringify(text)} }] } })`,
  tool: (id: string, name: string, input: unknown) =>
    `print({ type: "assistant", message: { id: "m1", content: [{ type: "tool_use", id: "${id}", name: "${name}", input: ${JSON.stringify(input)} }] } })`,
  success: `print({ type: "result", subtype: "success", is_error: false, result: "", num_turns: 1 })`
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** Leave stdout alone; by default it is collected. */
  readonly unread?: boolean
}

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

interface Started {
  readonly child: ChildProcess
  /** Resolves with the first line of stdout that matches. */
  readonly line: (pattern: RegExp) => Promise<string>
  readonly ended: Promise<Ended>
}

export const start = (args: ReadonlyArray<string>, options: StartOptions = {}): Started => {
  const { NO_COLOR: _, FORCE_COLOR: __, ...host } = process.env
  const env = { ...host, REINS_DEMO_PACE_MS: "0", ...options.env }
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ["pipe", "pipe", "pipe"] })
  child.stdin.on("error", () => {})
  child.stdin.end(options.input ?? "")
  let stdout = ""
  let stderr = ""
  const lines: Array<string> = []
  const waiting = new Set<() => void>()
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk)
  })
  if (options.unread !== true) {
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (chunk: string) => {
      stdout += chunk
    })
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line)
      for (const look of waiting) look()
    })
  }
  const line = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      const look = () => {
        const found = lines.find((candidate) => pattern.test(candidate))
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  const ended = once(child, options.unread === true ? "exit" : "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
    stdout,
    stderr
  }))
  return { child, line, ended }
}

export const runProgram = (args: ReadonlyArray<string>, options?: StartOptions): Promise<Ended> =>
  start(args, options).ended

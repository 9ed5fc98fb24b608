/** A `git` that kills its host, with SIGKILL, before or after its nth call. */
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export interface Kill {
  /** From 1. */
  readonly at: number
  readonly when: "before" | "after"
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The folder for the beginning of PATH, and the number of calls so far. */
export const killingGit = (folder: string, kill: Kill | undefined) => {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()
  const counter = join(folder, "calls")
  mkdirSync(folder, { recursive: true })
  writeFileSync(counter, "0")
  const die = (when: Kill["when"]) => (kill?.when === when ? `[ "$n" = ${kill.at} ] && kill -9 "$PPID"` : ":")
  const lines = [
    "#!/bin/sh",
    `n=$(($(cat ${quoted(counter)}) + 1))`,
    `echo "$n" > ${quoted(counter)}`,
    die("before"),
    `${quoted(real)} "$@"`,
    "code=$?",
    die("after"),
    'exit "$code"'
  ]
  writeFileSync(join(folder, "git"), `${lines.join("\n")}\n`)
  chmodSync(join(folder, "git"), 0o755)
  return { folder, calls: () => Number(readFileSync(counter, "utf8")) }
}

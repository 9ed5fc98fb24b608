/** The examples of given events, arbitraries and model servers, run by Node alone over the built package, by its name. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const printed: Readonly<Record<string, string>> = {
  "layerTest.ts": "Gladly.\n",
  "testAgent.ts": "[ 'Read' ] The file says hello.\n",
  "arbitraries.ts": "session tool_use text tool_result done\n",
  "modelServer.ts": [
    '429 {"type":"error","error":{"type":"rate_limit_error","message":"scripted 429"}}',
    "[ { type: 'text', text: 'Hello from a script.' } ]",
    "[ '1: one', '2: two' ]\n"
  ].join("\n")
}

it.each(Object.entries(printed))("%s prints what it says", (name, expected) => {
  const file = fileURLToPath(new URL(`examples/${name}`, import.meta.url))
  expect(execFileSync(process.execPath, [file], { encoding: "utf8" })).toBe(expected)
  expect(readFileSync(file, "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(25)
})

/** Log lines of the library, as they are exported. */
import { expect, it } from "vitest"
import { privateMessage } from "../../../src/program/telemetry/exporter.ts"

it.each([
  [
    ["the process lingered after its result and is ended", { lingerMs: 1 }],
    "the process lingered after its result and is ended"
  ],
  [['the gate "secret" failed', new Error("secret")], 'the gate "…" failed'],
  [
    "the settings of claude in this directory could not be checked: secret",
    "the settings of claude in this directory could not be checked"
  ],
  [
    "/home/secret/end.json is not the end of a turn, and is left as it is",
    "… is not the end of a turn, and is left as it is"
  ],
  ["a file C:\\secret\\x was there", "a file … was there"],
  [[new Error("secret")], ""],
  [[{ prompt: "secret" }], ""],
  ["x".repeat(1_000), "x".repeat(200)]
])("%o", (message, exported) => {
  expect(privateMessage(message)).toBe(exported)
})

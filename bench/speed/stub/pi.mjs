#!/usr/bin/env node
/**
 * Pi 0.73.1 with one long answer: each line has it so far, twice, so that the output grows with the square of the answer. It
 * is made while it is printed: on the disk it would take gigabytes. The deltas are in a file beside it.
 */
import { readFileSync, writeSync } from "node:fs"

const deltas = JSON.parse(readFileSync(`${process.argv[1]}.deltas`, "utf8"))
const cost = '"cost":{"input":0.0003,"output":0.00063,"cacheRead":0.0009,"cacheWrite":0.000075,"total":0.001905}'
const usage = `"usage":{"input":100,"output":42,"cacheRead":3000,"cacheWrite":20,"totalTokens":3162,${cost}}`

/** @param {string} text */
const messageOf = (text) =>
  `{"role":"assistant","content":[{"type":"text","text":"${text}"}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5",${usage},"stopReason":"stop","timestamp":1795725323719,"responseId":"msg_0001"}`

/** @param {string} text */
const print = (text) => {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; ) {
    try {
      from += writeSync(1, bytes, from)
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EAGAIN") throw error
    }
  }
}

print(
  [
    '{"type":"session","version":3,"id":"01a21991-ed61-7748-bcdb-a31b29610aff","timestamp":"2026-11-26T20:35:23.618Z","cwd":"/ws"}',
    '{"type":"agent_start"}',
    '{"type":"turn_start"}',
    `{"type":"message_start","message":${messageOf("")}}\n`
  ].join("\n")
)
let text = ""
let batch = ""
for (const delta of deltas) {
  text += delta
  const message = messageOf(text)
  batch += `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"${delta}","partial":${message}},"message":${message}}\n`
  if (batch.length < 1 << 20) continue
  print(batch)
  batch = ""
}
const message = messageOf(text)
print(
  [
    `${batch}{"type":"message_end","message":${message}}`,
    `{"type":"turn_end","message":${message},"toolResults":[]}`,
    `{"type":"agent_end","messages":[${message}]}\n`
  ].join("\n")
)

#!/usr/bin/env node
/**
 * Claude Code in a live session: answers `initialize`, and each text with the turn of the file beside it, in one write.
 * Each turn has messages of its own, and names the text that it answers.
 */
import { readFileSync, writeSync } from "node:fs"
import { createInterface } from "node:readline"

const turn = readFileSync(`${process.argv[1]}.turn`, "utf8")
const noUuid = "00000000-0000-4000-8000-000000000000"
let turns = 0

/** A pipe that is full for a moment. */
const write = (/** @type {string} */ text) => {
  let bytes = Buffer.from(text)
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes))
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error
    }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.type === "control_request") {
    const response = { commands: [], agents: [], models: [], account: {} }
    const answer = { subtype: "success", request_id: message.request_id, response }
    write(`${JSON.stringify({ type: "control_response", response: answer })}\n`)
  } else if (message.type === "user") {
    turns += 1
    write(turn.replaceAll("#NTH#", String(turns).padStart(6, "0")).replaceAll("#TEXT#", message.uuid ?? noUuid))
  }
}

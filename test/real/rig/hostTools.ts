/** Functions of the host that the real CLIs are offered as tools. */
import type { HostTool } from "../../../src/promise.ts"

export const add: HostTool = {
  name: "add",
  description: "Adds two numbers.",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  run: (input) => {
    const { a, b } = input as { a: number; b: number } // by its schema
    return String(a + b)
  }
}

export const twice: HostTool = {
  name: "twice",
  description: "Doubles a number.",
  inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  run: (input) => {
    const { n } = input as { n: number } // by its schema
    return String(n * 2)
  }
}

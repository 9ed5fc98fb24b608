/** Differences of two reports, which of them break users, and the entry that these need. */
import { assert, describe, it } from "vitest"
import { compare, hasBreakingNote, messageOf } from "../../../tools/api/compare.ts"
import { reportsOf } from "../../../tools/api/report.ts"

const reportOf = (declarations: string) =>
  reportsOf(new Map([["dist/door.d.ts", declarations]]), { door: "dist/door.d.ts" }).get("door") ?? ""

const before = `/** A. */
export interface A {
    /** The name */
    readonly name: string;
    readonly size?: number;
}
export type Word = "a" | "b";
export declare const run: (a: A) => void;
`

describe("the difference of two reports", () => {
  it.each([
    ["nothing", before, undefined],
    ["a comment", before.replace("The name", "Its name, or //"), undefined],
    ["the order", before.replace('"a" | "b"', '"b" | "a"'), undefined],
    ["an export more", `${before}export declare const b: 1;\n`, { lines: ["+ export const b: 1"], isBreaking: false }],
    [
      "a member more",
      before.replace("size", "depth?: number;\n    readonly size"),
      { lines: ["  export interface A", "+   readonly depth?: number;"], isBreaking: false }
    ],
    [
      "a word more",
      before.replace('"b"', '"b" | "c"'),
      { lines: ["  export type Word", '+   | "c"'], isBreaking: false }
    ],
    [
      "an export less",
      before.replace(/export type.*\n/, ""),
      { lines: ["- export type Word =", '-   | "a"', '-   | "b"'], isBreaking: true }
    ],
    [
      "a member less",
      before.replace("    readonly size?: number;\n", ""),
      { lines: ["  export interface A", "-   readonly size?: number;"], isBreaking: true }
    ],
    [
      "a member of another type",
      before.replace("size?: number", "size: number"),
      {
        lines: ["  export interface A", "-   readonly size?: number;", "+   readonly size: number;"],
        isBreaking: true
      }
    ],
    [
      "another signature",
      before.replace("(a: A)", "(a: A, b: string)"),
      {
        lines: [
          "  export const run",
          "- export const run: (a: A) => void",
          "+ export const run: (a: A, b: string) => void"
        ],
        isBreaking: true
      }
    ],
    [
      "an export that is needed alone",
      before.replace("export interface", "interface").concat("export {};\n"),
      {
        lines: [
          "- export interface A {",
          "-   readonly name: string;",
          "-   readonly size?: number;",
          "- }",
          "+ interface A {",
          "+   readonly name: string;",
          "+   readonly size?: number;",
          "+ }"
        ],
        isBreaking: true
      }
    ]
  ])("tells %s", (_, after, expected) => {
    assert.deepStrictEqual(compare(reportOf(before), reportOf(after)), expected)
  })

  it("tells a door that is new, and one that is gone", () => {
    assert.isFalse(compare("", reportOf(before))?.isBreaking)
    assert.isTrue(compare(reportOf(before), "")?.isBreaking)
  })
})

describe("a note that says that something breaks", () => {
  const noteOf = (size: string, text: string) => `---\n"reins": ${size}\n---\n\n${text}\n`
  it.each([
    ["is a minor one with the word", noteOf("minor", "Breaking: `a` is gone."), true],
    ["may be bold", noteOf("minor", "**Breaking:** `a` is gone."), true],
    ["is any major one", noteOf("major", "`a` is gone."), true],
    ["is not one that only adds", noteOf("minor", "More.\n\nBreaking news: it is fast."), false],
    ["is not one with the word within", noteOf("minor", "Not breaking: `a`. Breaking: no."), false],
    ["is not a patch", noteOf("patch", "Breaking: `a` is gone."), false],
    ["is not the page about notes", "# Notes\n\nBreaking: minor\n", false]
  ])("%s", (_, note, expected) => {
    assert.strictEqual(hasBreakingNote([noteOf("patch", "More."), note]), expected)
    assert.isFalse(hasBreakingNote([]))
  })
})

describe("the message", () => {
  const added = { lines: ["+ export const b: 1"], isBreaking: false }
  const broken = { lines: Array.from({ length: 40 }, (_, at) => `- line ${at}`), isBreaking: true }

  it("names the door, the lines and the cure", () => {
    const text = messageOf([{ door: "reins/promise", difference: added }], false)
    assert.include(text, "reins/promise: types were only added.\n  + export const b: 1")
    assert.include(text, "npm run api -- --accept")
    assert.notInclude(text, '"Breaking:"')
  })

  it("asks for an entry where something breaks, and shows a few lines", () => {
    const text = messageOf([{ door: "reins", difference: broken }], false)
    assert.include(text, "reins: types were removed or changed, which breaks users.")
    assert.include(text, "- line 29\n  … and 10 more lines")
    assert.include(text, 'Write a note that begins with "Breaking:"')
    assert.notInclude(messageOf([{ door: "reins", difference: broken }], true), "Write a note")
  })
})

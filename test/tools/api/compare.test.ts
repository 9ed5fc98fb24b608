/** Differences of two reports, which of them break users, and the entry that these need. */
import { assert, describe, it } from "vitest"
import { compare, hasBreakingEntry, messageOf } from "../../../tools/api/compare.ts"
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

describe("an entry for what breaks", () => {
  it.each([
    ["no changelog and no files", "", [], false],
    ["the newest section", "# Changes\n\n## Unreleased\n\nRuns:\n\n- Breaking: `a` is gone.\n", [], true],
    ["bold", "# Changes\n\n## Unreleased\n\n- **Breaking:** `a` is gone.\n", [], true],
    ["an older section", "# Changes\n\n## 0.2.0\n\n- More.\n\n## 0.1.0\n\n- Breaking: `a` is gone.\n", [], false],
    ["a word within an entry", "# Changes\n\n## Unreleased\n\n- Not breaking: `a`. Breaking: no.\n", [], false],
    ["a pending minor one", "", ["minor: Breaking: `a` is gone.\n"], true],
    ["a pending one with its text below", "", ["minor:\n\nBreaking: `a` is gone.\n"], true],
    ["a pending major one", "", ["patch: More.\n", "major: `a` is gone.\n"], true],
    ["a pending minor one that only adds", "", ["minor: More.\n\nBreaking news: it is fast.\n"], false],
    ["a pending patch", "", ["patch: Breaking: `a` is gone.\n"], false]
  ])("is found or not: %s", (_, changelog, pending, expected) => {
    assert.strictEqual(hasBreakingEntry(changelog, pending), expected)
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
    assert.include(text, 'begins with "Breaking:" to the newest section of CHANGELOG.md, or a file of .changes')
    assert.notInclude(messageOf([{ door: "reins", difference: broken }], true), "Add an entry")
  })
})

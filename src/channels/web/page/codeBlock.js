/** A block of code with its language, wrapping and copying; TypeScript and JSON in colours. */
import { copyButton } from "./copyButton.js"
import { h } from "./elements.js"
import { words } from "./words.js"

const tokens =
  /(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|\b(const|let|var|function|return|if|else|for|while|import|export|from|as|type|interface|class|new|await|async|yield|throw|try|catch|null|undefined|true|false)\b|\b(\d[\d_.]*)\b/g

const mostColoured = 20_000

/** @param {string} language */
export const isColoured = (language) => /^(ts|tsx|js|jsx|mjs|json|typescript|javascript)$/i.test(language)

/** @param {string} text @param {string} language */
const coloured = (text, language) => {
  if (!isColoured(language) || text.length > mostColoured) return [text]
  const nodes = []
  let from = 0
  for (const match of text.matchAll(tokens)) {
    const kind = match[1] ? "comment" : match[2] ? "string" : match[3] ? "word" : "number"
    nodes.push(text.slice(from, match.index), h(/** @type {"span.c"} */ (`span.c-${kind}`), {}, match[0]))
    from = match.index + match[0].length
  }
  return [...nodes, text.slice(from)]
}

/** @param {string} text @param {string} [language] */
export const codeBlock = (text, language = "") => {
  const props = { tabIndex: 0, dir: "ltr", role: "region", "aria-label": words.code(language) }
  const pre = h("pre", props, h("code", {}, ...coloured(text, language)))
  const toggle = () => wrap.setAttribute("aria-pressed", String(pre.classList.toggle("wrapped")))
  const wrap = h("button.quiet.small", { type: "button", "aria-pressed": "false", on: { click: toggle } }, words.wrap)
  const head = h("div.code-head", {}, h("span.language", {}, language || words.plainText), wrap)
  head.append(copyButton(() => pre.textContent ?? "", words.things.code))
  return h("div.code", {}, head, pre)
}

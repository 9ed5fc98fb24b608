/** A decided request in one line: what, who, where, what was told; what was asked is folded behind it. */
import { tell } from "./announce.js"
import { deciderOf } from "./deciders.js"
import { fold, h, icon } from "./elements.js"
import { exact } from "./exactText.js"
import { words } from "./words.js"

const signs = { allow: "ok", deny: "bad", withdrawn: "other" }

/**
 * @param {HTMLElement} element the card
 * @param {import("./types.js").PermissionRequest} event
 * @param {{ decision: "allow" | "deny" | "withdrawn", by: string, person?: string, where?: string, message?: string, remembered?: string }} decision
 */
export const decidedLine = (element, event, decision) => {
  const isPlan = event.kind === "plan"
  const said = isPlan && decision.decision === "allow" ? words.approved : (words.decisions[decision.decision] ?? "")
  const who = deciderOf(decision)
  const what = isPlan ? words.thePlan : ((event.command ?? event.title).split("\n")[0] ?? "")
  const body = [...element.children].filter(
    (child) => !child.matches("header, .buttons, .panel, .problem, .plain.more")
  )
  const label = h("span.label", {}, h("span.verb", {}, said), " ", h("span.what", { dir: "ltr" }, ...exact(what)))
  const summary = [icon(signs[decision.decision]), label, h("span.side", {}, ...exact(words.byWhom(who)))]
  element.className = "card request decided"
  element.dataset["decision"] = decision.decision
  delete element.dataset["escalated"]
  element.removeAttribute("aria-labelledby")
  element.setAttribute("aria-label", `${said} ${words.byWhom(who)}`)
  element.replaceChildren(fold(summary, [h("div.step-body", {}, ...body)]))
  const scope = event.scopes?.find(({ id }) => id === decision.remembered)
  if (scope) element.append(h("p.told", { dir: "auto" }, words.notAskedFor(scope.covers)))
  if (decision.message) element.append(h("p.told", { dir: "auto" }, ...exact(words.told(decision.message))))
  tell(`${said} ${words.byWhom(who)}`)
}

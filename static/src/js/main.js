// What every page has: menus, local times, forms that show that they are busy.
import { installMenus } from "./components/menu.js";
import { all } from "./lib/dom.js";
import { time } from "./lib/i18n.js";

installMenus();

for (const element of all("time[data-local]")) element.textContent = time(element.dateTime);

for (const form of all("form[data-busy]")) {
  form.addEventListener("submit", () => form.setAttribute("aria-busy", "true"));
}

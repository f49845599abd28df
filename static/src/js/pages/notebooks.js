// The notebooks page: its dialog, also opened by `?new` in the address.
import { openCreateDialog } from "../components/notebook-dialog.js";
import { all, one } from "../lib/dom.js";

for (const button of all("[data-new-notebook]")) button.addEventListener("click", () => openCreateDialog());
if (one("#create-dialog") && new URLSearchParams(location.search).has("new")) openCreateDialog();

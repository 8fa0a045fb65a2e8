document.querySelectorAll(".flames").forEach(function (of) {
  "use strict";
  var label = document.createElement("label"), field = document.createElement("input"), said = document.createElement("output");
  field.type = "search";
  label.append("Find a function: ", field, " ", said);
  of.before(label);
  field.addEventListener("input", function () {
    var text = field.value.toLowerCase(), found = 0;
    of.querySelectorAll("g").forEach(function (g) {
      var hit = text !== "" && g.querySelector("title").textContent.split(": ")[0].toLowerCase().includes(text);
      g.classList.toggle("found", hit);
      found += hit ? 1 : 0;
    });
    said.textContent = text === "" ? "" : found + (found === 1 ? " box" : " boxes");
  });
});

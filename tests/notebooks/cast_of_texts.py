"""A few texts by version id, shared by the tests of the index."""

VERSIONS = {
    3: ["The pension plan covers every employee.", "Holidays are agreed with the manager."],
    5: ["A pension is paid from the age of 67.", "The fund publishes a yearly report."],
    9: ["Employees report sickness before nine.", "The pension fund is supervised."],
}

from django.apps import AppConfig


class ProbeConfig(AppConfig):
    name = "tests.support.probe"
    label = "probe"

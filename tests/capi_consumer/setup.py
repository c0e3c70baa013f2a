"""Build the consumer in the folder of its source."""

from Cython.Build import cythonize
from setuptools import Extension, setup

import bgfast

consumer = Extension("consumer", ["consumer.pyx"], include_dirs=[bgfast.get_include()])
setup(name="consumer", ext_modules=cythonize([consumer]))
